/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Records are found by their key while others are added and removed. */
#include "records.h"

#include <check.h>
#include <stdlib.h>

#include "callbacks.h"
#include "check_main.h"
#include "self_target.h"

struct pair {
	uint64_t a, b;
	uint32_t value;
};

static struct records pairs = {.size = sizeof(struct pair), .key_size = 2 * sizeof(uint64_t)};

static const struct pair *find(uint64_t a, uint64_t b)
{
	return records_find(&pairs, &(uint64_t[]){a, b});
}

static void setup(void)
{
	self_target_reset();
	ck_assert_int_eq(cb_install(self_target_callbacks()), ompd_rc_ok);
}

static void teardown(void)
{
	records_deinit(&pairs);
	ck_assert_int_eq(self_target.live_blocks, 0);
	cb_uninstall();
}

START_TEST(test_both_words_of_a_key_count)
{
	ck_assert_ptr_null(find(1, 2));
	for (uint32_t i = 0; i < 1000; i++)
		ck_assert_int_eq(records_add(&pairs, &(struct pair){i / 10, i % 10, i}), ompd_rc_ok);
	for (uint32_t i = 0; i < 1000; i++) {
		ck_assert_uint_eq(find(i / 10, i % 10)->value, i);
		ck_assert_uint_eq(((struct pair *)(void *)pairs.all)[i].value, i);
	}
	ck_assert_ptr_null(find(10, 10));
}
END_TEST

START_TEST(test_the_others_are_found_after_a_removal)
{
	bool is_in[512] = {false};
	size_t n = 0;

	srand((unsigned)_i);
	for (int k = 0; k < 20000; k++) {
		uint64_t i = (uint64_t)(rand() >> 4) % 512;

		if (is_in[i])
			records_remove(&pairs, &(uint64_t[]){i * 4096, 7});
		else
			ck_assert_int_eq(records_add(&pairs, &(struct pair){i * 4096, 7, (uint32_t)i}), ompd_rc_ok);
		is_in[i] = !is_in[i];
		n += is_in[i] ? 1 : (size_t)-1;
		ck_assert_uint_eq(pairs.n, n);
	}
	for (uint64_t i = 0; i < 512; i++) {
		const struct pair *found = find(i * 4096, 7);

		ck_assert_int_eq(found != NULL, is_in[i]);
		ck_assert(!found || found->value == i);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("records");
	TCase *tcase = tcase_create("records");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_both_words_of_a_key_count);
	tcase_add_loop_test(tcase, test_the_others_are_found_after_a_removal, 0, 4);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
