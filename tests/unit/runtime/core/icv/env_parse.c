/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of runtime/core/icv/env_parse.c: the accepted values of environment variables, and their meaning. */
#include "core/icv/env_parse.h"

#include <limits.h>

#include "check_main.h"
#include "core/state/icv.h"

START_TEST(booleans_in_any_case_with_blanks_around)
{
	bool on = false;

	ck_assert(env_parse_bool("true", &on));
	ck_assert(on);
	ck_assert(env_parse_bool(" FALSE\t", &on));
	ck_assert(!on);
	ck_assert(env_parse_bool("True", &on));
	ck_assert(on);
}
END_TEST

START_TEST(not_booleans)
{
	static const char *const texts[] = {"", " ", "1", "0", "yes", "truex", "true x", "tru", "true,false"};
	bool on = true;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		ck_assert_msg(!env_parse_bool(texts[i], &on), "'%s'", texts[i]);
	ck_assert(on);
}
END_TEST

START_TEST(numbers_within_their_limits)
{
	uint64_t n = 0;

	ck_assert(env_parse_number(" +7 ", 1, 10, &n));
	ck_assert_uint_eq(n, 7);
	ck_assert(env_parse_number("010", 1, 10, &n));
	ck_assert_uint_eq(n, 10);
	ck_assert(env_parse_number("18446744073709551615", 0, UINT64_MAX, &n));
	ck_assert_uint_eq(n, UINT64_MAX);
}
END_TEST

START_TEST(not_numbers)
{
	static const char *const texts[] = {"",	  "0", "11", "-1", "x", "7x", "7 8", "0x7", "18446744073709551617",
					    "7,", "+"};
	uint64_t n = 5;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		ck_assert_msg(!env_parse_number(texts[i], 1, 10, &n), "'%s'", texts[i]);
	ck_assert_uint_eq(n, 5);
}
END_TEST

START_TEST(lists_of_thread_numbers)
{
	uint32_t list[ENV_LIST_MAX], n = 0;

	ck_assert(env_parse_nthreads("4", list, &n));
	ck_assert_uint_eq(n, 1);
	ck_assert(env_parse_nthreads(" 4 , 3,2147483647 ", list, &n));
	ck_assert_uint_eq(n, 3);
	ck_assert_uint_eq(list[0], 4);
	ck_assert_uint_eq(list[1], 3);
	ck_assert_uint_eq(list[2], INT_MAX);
}
END_TEST

START_TEST(not_lists_of_thread_numbers)
{
	static const char *const texts[] = {"", ",4", "4,", "4,,3", "4;3", "0", "4,0", "-1", "2147483648", "4 3", "a"};
	uint32_t list[ENV_LIST_MAX], n = 9;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		ck_assert_msg(!env_parse_nthreads(texts[i], list, &n), "'%s'", texts[i]);
	ck_assert_uint_eq(n, 9);
}
END_TEST

START_TEST(lists_are_not_longer_than_their_room)
{
	char text[2 * (ENV_LIST_MAX + 1) + 1];
	uint32_t list[ENV_LIST_MAX], n = 0;

	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = i % 2 ? ',' : '1';
	text[2 * ENV_LIST_MAX - 1] = '\0';
	ck_assert(env_parse_nthreads(text, list, &n));
	ck_assert_uint_eq(n, ENV_LIST_MAX);
	text[2 * ENV_LIST_MAX - 1] = ',';
	text[2 * ENV_LIST_MAX + 1] = '\0';
	ck_assert(!env_parse_nthreads(text, list, &n));
}
END_TEST

START_TEST(bind_policies)
{
	uint8_t list[ENV_LIST_MAX];
	uint32_t n = 0;

	ck_assert(env_parse_bind("TRUE", list, &n));
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(list[0], 1);
	ck_assert(env_parse_bind("false", list, &n));
	ck_assert_uint_eq(list[0], 0);
	ck_assert(env_parse_bind("master,primary, close ,spread", list, &n));
	ck_assert_uint_eq(n, 4);
	ck_assert_uint_eq(list[0], 2);
	ck_assert_uint_eq(list[1], 2);
	ck_assert_uint_eq(list[2], 3);
	ck_assert_uint_eq(list[3], 4);
}
END_TEST

START_TEST(not_bind_policies)
{
	static const char *const texts[] = {"",	       "1",	  "true,close",	 "close,true",
					    "spread,", ",spread", "false,false", "closex"};
	uint8_t list[ENV_LIST_MAX];
	uint32_t n = 9;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		ck_assert_msg(!env_parse_bind(texts[i], list, &n), "'%s'", texts[i]);
	ck_assert_uint_eq(n, 9);
}
END_TEST

START_TEST(sizes_in_kilobytes_unless_said)
{
	uint64_t size = 0;

	ck_assert(env_parse_size("100", &size));
	ck_assert_uint_eq(size, 102400);
	ck_assert(env_parse_size("100B", &size));
	ck_assert_uint_eq(size, 100);
	ck_assert(env_parse_size(" 2 m ", &size));
	ck_assert_uint_eq(size, 2 << 20);
	ck_assert(env_parse_size("1G", &size));
	ck_assert_uint_eq(size, 1 << 30);
}
END_TEST

START_TEST(not_sizes)
{
	static const char *const texts[] = {
		"", "x", "-1", "1T", "1MM", "1.5M", "18014398509481984", "99999999999999999G", "M"};
	uint64_t size = 3;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		ck_assert_msg(!env_parse_size(texts[i], &size), "'%s'", texts[i]);
	ck_assert_uint_eq(size, 3);
}
END_TEST

START_TEST(spin_counts)
{
	uint64_t n = 0;

	ck_assert(env_parse_spin("5k", &n));
	ck_assert_uint_eq(n, 5000);
	ck_assert(env_parse_spin("1 T", &n));
	ck_assert_uint_eq(n, 1000000000000);
	ck_assert(env_parse_spin("Infinite", &n));
	ck_assert_uint_eq(n, UINT64_MAX);
	ck_assert(env_parse_spin("infinity", &n));
	ck_assert_uint_eq(n, UINT64_MAX);
	ck_assert(!env_parse_spin("inf", &n));
	ck_assert(!env_parse_spin("10b", &n));
	ck_assert(!env_parse_spin("99999999T", &n));
	ck_assert(!env_parse_spin("", &n));
}
END_TEST

static void schedule(const char *text, uint32_t kind, uint32_t chunk)
{
	uint32_t k = 99, c = 99;

	ck_assert_int_eq(env_parse_schedule(text, &k, &c), ENV_SCHEDULE_OK);
	ck_assert_msg(k == kind && c == chunk, "'%s' is %x,%u", text, k, c);
}

START_TEST(schedules)
{
	schedule("static", SCHEDULE_STATIC | SCHEDULE_MONOTONIC, 0);
	schedule("nonmonotonic:static,2", SCHEDULE_STATIC, 2);
	schedule(" Static , 4 ", SCHEDULE_STATIC | SCHEDULE_MONOTONIC, 4);
	schedule("dynamic", SCHEDULE_DYNAMIC, 1);
	schedule("dynamic,0", SCHEDULE_DYNAMIC, 1);
	schedule("monotonic : dynamic , 5", SCHEDULE_DYNAMIC | SCHEDULE_MONOTONIC, 5);
	schedule("guided,2147483647", SCHEDULE_GUIDED, INT_MAX);
	schedule("auto", SCHEDULE_AUTO, 1);
}
END_TEST

START_TEST(not_schedules)
{
	static const char *const unknown[] = {"",	    "runtime",		 "statik", "static 4", "static4",
					      "monotonic:", "monotonic dynamic", "4"};
	static const char *const bad_chunk[] = {"static,",   "static,x",	  "static,4x",
						"static,-1", "guided,2147483648", "auto,1 2"};
	uint32_t kind = 7, chunk = 7;

	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		ck_assert_int_eq(env_parse_schedule(unknown[i], &kind, &chunk), ENV_SCHEDULE_UNKNOWN);
	for (size_t i = 0; i < sizeof(bad_chunk) / sizeof(*bad_chunk); i++)
		ck_assert_int_eq(env_parse_schedule(bad_chunk[i], &kind, &chunk), ENV_SCHEDULE_BAD_CHUNK);
	ck_assert_uint_eq(kind, 7);
	ck_assert_uint_eq(chunk, 7);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime_env");
	TCase *tcase;

	tcase = tcase_create("scalars");
	tcase_add_test(tcase, booleans_in_any_case_with_blanks_around);
	tcase_add_test(tcase, not_booleans);
	tcase_add_test(tcase, numbers_within_their_limits);
	tcase_add_test(tcase, not_numbers);
	tcase_add_test(tcase, sizes_in_kilobytes_unless_said);
	tcase_add_test(tcase, not_sizes);
	tcase_add_test(tcase, spin_counts);
	suite_add_tcase(suite, tcase);
	tcase = tcase_create("lists");
	tcase_add_test(tcase, lists_of_thread_numbers);
	tcase_add_test(tcase, not_lists_of_thread_numbers);
	tcase_add_test(tcase, lists_are_not_longer_than_their_room);
	tcase_add_test(tcase, bind_policies);
	tcase_add_test(tcase, not_bind_policies);
	suite_add_tcase(suite, tcase);
	tcase = tcase_create("schedule");
	tcase_add_test(tcase, schedules);
	tcase_add_test(tcase, not_schedules);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
