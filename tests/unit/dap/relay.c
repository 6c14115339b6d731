/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/dap/relay.c. */
#include "relay.h"

#include <json-c/json.h>

#include "check_main.h"
#include "message.h"

static struct json_object *request(int64_t seq)
{
	struct json_object *r = dap_message_request("threads", NULL);

	dap_message_put_int(r, "seq", seq);
	return r;
}

START_TEST(test_relay_each_side_counts_for_itself)
{
	struct relay r = {0};
	struct relay_entry e;
	struct json_object *one = request(70), *other = request(71);

	int64_t first = relay_seq(&r), own = relay_seq(&r), second = relay_seq(&r);
	ck_assert_int_eq(first, 1);
	ck_assert(relay_add(&r, first, one, NULL, NULL));
	ck_assert(relay_add(&r, own, NULL, NULL, NULL));
	ck_assert(relay_add(&r, second, other, NULL, NULL));
	ck_assert_int_eq(relay_number_of(&r, 71), second);
	ck_assert_int_eq(relay_original_of(&r, first), 70);
	ck_assert(relay_take(&r, second, &e));
	ck_assert_int_eq(e.original, 71);
	ck_assert_ptr_eq(e.request, other);
	relay_entry_deinit(&e);
	ck_assert(relay_take(&r, own, &e));
	ck_assert_int_eq(e.original, 0);
	ck_assert_ptr_null(e.request);
	relay_entry_deinit(&e);
	relay_deinit(&r);
	json_object_put(one);
	json_object_put(other);
}
END_TEST

START_TEST(test_relay_an_answer_comes_once_and_to_what_was_asked)
{
	struct relay r = {0};
	struct relay_entry e;

	ck_assert(!relay_take(&r, 1, &e));
	ck_assert(relay_add(&r, relay_seq(&r), NULL, NULL, NULL));
	ck_assert(!relay_take(&r, 2, &e));
	ck_assert(!relay_take(&r, 0, &e));
	ck_assert(relay_take(&r, 1, &e));
	ck_assert(!relay_take(&r, 1, &e));
	relay_deinit(&r);
}
END_TEST

START_TEST(test_relay_our_own_requests_are_no_number_of_the_clients)
{
	struct relay r = {0};

	ck_assert(relay_add(&r, relay_seq(&r), NULL, NULL, NULL));
	ck_assert_int_eq(relay_number_of(&r, 0), 0);
	ck_assert_int_eq(relay_number_of(&r, 1), 0);
	ck_assert_int_eq(relay_original_of(&r, 9), 0);
	relay_deinit(&r);
}
END_TEST

START_TEST(test_relay_what_waits_is_bounded)
{
	struct relay r = {0};

	for (int i = 0; i < RELAY_MAX; i++)
		ck_assert(relay_add(&r, relay_seq(&r), NULL, NULL, NULL));
	ck_assert(!relay_add(&r, relay_seq(&r), NULL, NULL, NULL));
	relay_deinit(&r);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dap/relay");
	TCase *tcase = tcase_create("relay");

	tcase_add_test(tcase, test_relay_each_side_counts_for_itself);
	tcase_add_test(tcase, test_relay_an_answer_comes_once_and_to_what_was_asked);
	tcase_add_test(tcase, test_relay_our_own_requests_are_no_number_of_the_clients);
	tcase_add_test(tcase, test_relay_what_waits_is_bounded);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
