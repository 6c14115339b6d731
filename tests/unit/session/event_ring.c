/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of session/event_ring: kept and dropped events. */
#include "session/event_ring.h"

#include "check_main.h"

#include <stdio.h>
#include <string.h>

static struct event_ring ring;

static void teardown(void)
{
	event_ring_deinit(&ring);
}

static void push(int n)
{
	char text[16];

	for (int i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)ring.last + 1);
		event_ring_push(&ring, "t7", 1000, EVENT_STOPPED, strdup(text));
	}
}

START_TEST(test_empty_ring_has_nothing)
{
	ck_assert_uint_eq(event_ring_oldest(&ring), 1);
	ck_assert_ptr_null(event_ring_get(&ring, 0));
	ck_assert_ptr_null(event_ring_get(&ring, 1));
}
END_TEST

START_TEST(test_event_is_kept)
{
	push(2);
	const struct event *e = event_ring_get(&ring, 2);
	ck_assert_str_eq(e->text, "2");
	ck_assert_str_eq(e->target, "t7");
	ck_assert_uint_eq(e->cursor, 2);
	ck_assert_uint_eq(e->len, 1);
	ck_assert_ptr_null(event_ring_get(&ring, 3));
}
END_TEST

START_TEST(test_oldest_makes_room)
{
	push(LIMIT_EVENTS);
	ck_assert_uint_eq(event_ring_oldest(&ring), 1);
	ck_assert_str_eq(event_ring_get(&ring, 1)->text, "1");
	push(3);
	ck_assert_uint_eq(event_ring_oldest(&ring), 4);
	ck_assert_ptr_null(event_ring_get(&ring, 3));
	ck_assert_str_eq(event_ring_get(&ring, 4)->text, "4");
	ck_assert_str_eq(event_ring_get(&ring, LIMIT_EVENTS + 3)->text, "4099");
}
END_TEST

START_TEST(test_types_have_names)
{
	for (int i = 0; i < EVENT_N_TYPES; i++)
		ck_assert_int_eq(event_type_find(event_type_name((enum event_type)i)), i);
	ck_assert_int_eq(event_type_find("no_such"), EVENT_N_TYPES);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("session_event_ring");
	TCase *tc = tcase_create("event_ring");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_empty_ring_has_nothing);
	tcase_add_test(tc, test_event_is_kept);
	tcase_add_test(tc, test_oldest_makes_room);
	tcase_add_test(tc, test_types_have_names);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
