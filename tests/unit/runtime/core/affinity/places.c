/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of runtime/core/affinity/places_parse.c and places.c on a machine with 16 CPUs. The process may use the
 * first 8. */
#include "core/affinity/places.h"

#include <stdio.h>

#include "check_main.h"
#include "core/affinity/places_parse.h"
#include "os/cpus.h"

struct place_list places;

#define BYTES 8

static cpu_set_t usable;
static struct cpus cpus = {.set = &usable, .size = BYTES};

static void setup(void)
{
	CPU_ZERO(&usable);
	for (int cpu = 0; cpu < 8; cpu++)
		CPU_SET(cpu, &usable);
	cpus.count = 8;
}

/* "{0,1}{2}", for comparison. */
static const char *show(const struct place_list *list)
{
	static char text[512];
	size_t n = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < list->n; i++) {
		const char *before = "{";

		for (size_t cpu = 0; cpu < BYTES * 8; cpu++) {
			if (!CPU_ISSET_S(cpu, BYTES, place_list_get(list, i)))
				continue;
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%zu", before, cpu);
			before = ",";
		}
		n += (size_t)snprintf(text + n, sizeof(text) - n, "}");
	}
	return text;
}

static void good(const char *text, const char *expected)
{
	struct place_list list = {0};

	ck_assert_msg(places_parse(text, &cpus, false, &list) == PLACES_OK, "'%s'", text);
	ck_assert_str_eq(show(&list), expected);
	place_list_deinit(&list);
}

static void bad(const char *text)
{
	struct place_list list = {0};

	ck_assert_msg(places_parse(text, &cpus, false, &list) == PLACES_INVALID, "'%s'", text);
	ck_assert_ptr_null(list.sets);
}

START_TEST(lists_of_cpus)
{
	good("{0}", "{0}");
	good(" { 1 , 0 } , {3} ", "{0,1}{3}");
	good("{0:3}", "{0,1,2}");
	good("{1:3:2}", "{1,3,5}");
	good("{5:3:-2}", "{1,3,5}");
	good("{0:2:0}", "{0}");
	good("{0:4,!2}", "{0,1,3}");
	good("3,1", "{3}{1}");
}
END_TEST

START_TEST(intervals_of_places)
{
	good("{0}:4", "{0}{1}{2}{3}");
	good("{0,1}:3:2", "{0,1}{2,3}{4,5}");
	good("{6}:3:-2", "{6}{4}{2}");
	good("{0}:2:0", "{0}{0}");
	good("1:2", "{1}{2}");
}
END_TEST

START_TEST(excluded_places)
{
	good("{0},{1},!{0}", "{1}");
	good("{0},{1},{0},!{0}", "{1}{0}");
	good("{0:2},{1},!{1},{0}", "{0,1}{0}");
	bad("{0},!{1}");
	bad("!{0},{0}");
	bad("{0},!{0}");
	bad("{0}:2,!{0}:2");
	bad("{0:2,!0:2}");
	bad("{!0}");
	bad("{0,!1}");
}
END_TEST

START_TEST(only_usable_cpus_remain)
{
	good("{7,8}", "{7}");
	good("{6}:4", "{6}{7}");
	good("{8},{0}", "{0}");
	bad("{8}");
	bad("{15}:2");
}
END_TEST

START_TEST(cpus_out_of_range)
{
	bad("{64}");
	bad("{0:65}");
	bad("{0}:65");
	bad("{1}:3:-1");
	bad("{99999999999999999999}");
	bad("{0}:99999999999");
	bad("{0:2:9223372036854775807}");
}
END_TEST

START_TEST(not_places)
{
	static const char *const texts[] = {"",		"x",	   "{}",       "{0",	   "{0},",	",{0}",
					    "{0},,{1}", "{0} {1}", "{0:0}",    "{0}:0",	   "{-1}",	"{0:-1}",
					    "{0}:1:",	"{0:}",	   "thread",   "{0}x",	   "threads x", "threads,{0}",
					    "cores(",	"cores()", "cores(x)", "cores(0)", "cores(-1)", "cores(1"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		bad(texts[i]);
}
END_TEST

START_TEST(threads_are_single_cpus)
{
	good("threads", "{0}{1}{2}{3}{4}{5}{6}{7}");
	good(" THREADS ( 3 ) ", "{0}{1}{2}");
	good("threads(99)", "{0}{1}{2}{3}{4}{5}{6}{7}");
}
END_TEST

START_TEST(checking_only_makes_nothing)
{
	struct place_list list = {0};

	ck_assert_int_eq(places_parse("{15}", &cpus, true, &list), PLACES_OK);
	ck_assert_uint_eq(list.n, 0);
	ck_assert_int_eq(places_parse("{", &cpus, true, &list), PLACES_INVALID);
}
END_TEST

START_TEST(cpu_affinity)
{
	static const struct {
		const char *text, *expected;
	} values[] = {{"0 3 1-2 4-15:2", "{0}{3}{1}{2}{4}{6}{8}{10}{12}{14}"},
		      {"1,0", "{1}{0}"},
		      {" 5 , 5 ", "{5}{5}"},
		      {"0-64:64", "{0}"}};
	static const char *const texts[] = {"",	  "x",	"0-",	 "-1", "1-0",  "0:1",  "0,,1",
					    "0,", ",0", "0-1:0", "0x", "0-1x", "65536"};
	struct place_list list;

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		ck_assert_int_eq(places_parse_cpu_affinity(values[i].text, &cpus, &list), PLACES_OK);
		ck_assert_str_eq(show(&list), values[i].expected);
		place_list_deinit(&list);
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		ck_assert_msg(places_parse_cpu_affinity(texts[i], &cpus, &list) == PLACES_INVALID, "'%s'", texts[i]);
	/* CPUs that the machine cannot have are left out. */
	ck_assert_int_eq(places_parse_cpu_affinity("64", &cpus, &list), PLACES_UNKNOWN);
}
END_TEST

START_TEST(lists_of_sys)
{
	struct place_list list = {.set_size = BYTES, .n = 1};
	cpu_set_t set;

	CPU_ZERO(&set);
	list.sets = (char *)&set;
	ck_assert(cpus_parse_list("0-2,8,10-11\n", &set, BYTES));
	ck_assert_str_eq(show(&list), "{0,1,2,8,10,11}");
	ck_assert(!cpus_parse_list("\n", &set, BYTES));
	ck_assert(!cpus_parse_list("3-", &set, BYTES));
	ck_assert(!cpus_parse_list("64-70", &set, BYTES));
}
END_TEST

/* Formats the numbers of the places, and first:length of the partitions, of all members. */
static void assigned(enum bind bind, struct placement primary, uint32_t n, const char *expected)
{
	char text[512] = "";
	size_t len = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct placement p = places_assign(bind, primary, n, i);

		len += (size_t)snprintf(text + len, sizeof(text) - len, i ? " %d" : "%d", (int)p.place - 1);
		if (p.first != primary.first || p.len != primary.len)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "[%u:%u]", p.first, p.len);
	}
	ck_assert_str_eq(text, expected);
}

START_TEST(primary_policy_puts_all_where_the_primary_thread_is)
{
	assigned(BIND_PRIMARY, (struct placement){4, 2, 5}, 3, "3 3 3");
}
END_TEST

START_TEST(close_policy)
{
	assigned(BIND_CLOSE, (struct placement){1, 0, 8}, 4, "0 1 2 3");
	assigned(BIND_CLOSE, (struct placement){7, 0, 8}, 4, "6 7 0 1");
	assigned(BIND_CLOSE, (struct placement){5, 3, 3}, 3, "4 5 3");
	/* More threads than places: neighbours form groups, and the remaining threads start over. */
	assigned(BIND_CLOSE, (struct placement){1, 0, 2}, 4, "0 0 1 1");
	assigned(BIND_CLOSE, (struct placement){1, 0, 3}, 5, "0 1 2 0 1");
	assigned(BIND_CLOSE, (struct placement){2, 0, 2}, 5, "1 1 0 0 1");
	assigned(BIND_CLOSE, (struct placement){6, 5, 1}, 3, "5 5 5");
	assigned(BIND_TRUE, (struct placement){1, 0, 2}, 4, "0 0 1 1");
}
END_TEST

START_TEST(spread_policy)
{
	assigned(BIND_SPREAD, (struct placement){1, 0, 8}, 4, "0[0:2] 2[2:2] 4[4:2] 6[6:2]");
	assigned(BIND_SPREAD, (struct placement){1, 0, 8}, 5, "0[0:2] 2[2:2] 4[4:2] 6[6:1] 7[7:1]");
	assigned(BIND_SPREAD, (struct placement){1, 0, 7}, 5, "0[0:2] 2[2:2] 4[4:1] 5[5:1] 6[6:1]");
	/* The encountering thread stays in its place; its part is the one around that place. */
	assigned(BIND_SPREAD, (struct placement){4, 0, 8}, 4, "3[2:2] 4[4:2] 6[6:2] 0[0:2]");
	assigned(BIND_SPREAD, (struct placement){1, 0, 3}, 3, "0[0:1] 1[1:1] 2[2:1]");
	assigned(BIND_SPREAD, (struct placement){1, 0, 3}, 5, "0[0:1] 1[1:1] 2[2:1] 0[0:1] 1[1:1]");
	assigned(BIND_SPREAD, (struct placement){1, 0, 3}, 1, "0");
}
END_TEST

START_TEST(nobody_is_put_anywhere_without_places)
{
	assigned(BIND_CLOSE, (struct placement){0, 0, 0}, 2, "-1 -1");
	assigned(BIND_SPREAD, (struct placement){0, 0, 0}, 2, "-1 -1");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime_places");
	TCase *tcase;

	tcase = tcase_create("parse");
	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_test(tcase, lists_of_cpus);
	tcase_add_test(tcase, intervals_of_places);
	tcase_add_test(tcase, excluded_places);
	tcase_add_test(tcase, only_usable_cpus_remain);
	tcase_add_test(tcase, cpus_out_of_range);
	tcase_add_test(tcase, not_places);
	tcase_add_test(tcase, threads_are_single_cpus);
	tcase_add_test(tcase, checking_only_makes_nothing);
	tcase_add_test(tcase, cpu_affinity);
	tcase_add_test(tcase, lists_of_sys);
	suite_add_tcase(suite, tcase);
	tcase = tcase_create("assign");
	tcase_add_test(tcase, primary_policy_puts_all_where_the_primary_thread_is);
	tcase_add_test(tcase, close_policy);
	tcase_add_test(tcase, spread_policy);
	tcase_add_test(tcase, nobody_is_put_anywhere_without_places);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
