/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of cli/top_locks.c: the locks on a screen of `ompdctl top`. */
#include "top_locks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "check_main.h"
#include "format.h"
#include "top_view.h"

#define PLACE(function, line)                                                                                          \
	"\"place\":{\"function\":\"" function "\",\"location\":{\"file\":\"/src/a.c\",\"line\":" line "}}"
#define UNKNOWN	   "{\"rc\":\"ompd_rc_unavailable\",\"message\":\"the runtime does not keep who holds it\"}"
#define NO_SYMBOL  "{\"rc\":\"ompd_rc_unavailable\"}"
#define CRITICAL   "\"state\":\"critical\",\"address\":\"0x10\",\"symbol\":\".gomp_critical_user_red\",\"name\":\"red\""
#define HEAP_LOCK  "\"state\":\"lock\",\"address\":\"0x7f20\",\"symbol\":" NO_SYMBOL
#define WAITS(us)  "\"wait_us\":" us ",\"samples\":9,\"max_waiters\":3,\"mean_waiters\":1.5"
#define RESULT(of) "{\"locks\":[" of "]}"

static char *draw_of(const char *now, const char *before, int width, int height)
{
	struct json_object *a = answer_parse(now, strlen(now)),
			   *b = before ? answer_parse(before, strlen(before)) : NULL;
	struct buf out = {0};

	ck_assert_ptr_nonnull(a);
	top_locks_draw(&(struct top_view){.now = a, .before = b, .width = width, .height = height, .utf8 = 1}, 1000,
		       &out);
	json_object_put(a);
	json_object_put(b);
	return text_take(&out);
}

static void assert_has(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part), "no \"%s\" in:\n%s", part, text);
}

START_TEST(test_shares_waiters_and_places)
{
	char *text = draw_of(
		RESULT("{" CRITICAL "," WAITS("300") ",\"places\":[{" PLACE(
			"work", "12") ",\"wait_us\":300}],\"other_us\":0,"
				      "\"holders\":[{" PLACE("slow", "30") ",\"us\":150},{" PLACE(
					      "fast",
					      "40") ",\"us\":20,\"source\":\"inferred\"}],\"holders_other_us\":30}"),
		NULL, 0, 0);

	assert_has(text, "\nLOCK  KIND      WAIT%  WAITERS  MOST  WAITED FOR AT  HELD AT\n");
	assert_has(text, "\nred   critical   30.0      1.5     3  work a.c:12    75% slow a.c:30\n");
	free(text);
}
END_TEST

/* Neither the holder nor the variable's name is known. */
START_TEST(test_what_is_not_known_is_a_dash)
{
	char *text =
		draw_of(RESULT("{" HEAP_LOCK "," WAITS("10") ",\"places\":[],\"other_us\":10,\"holders\":" UNKNOWN "}"),
			NULL, 0, 0);

	assert_has(text, "\n0x7f20  lock    1.0      1.5     3  -              -\n");
	free(text);
}
END_TEST

START_TEST(test_who_ran_is_marked)
{
	char *text = draw_of(RESULT("{" HEAP_LOCK "," WAITS("10") ",\"places\":[],\"other_us\":10,\"holders\":[{" PLACE(
				     "spin", "7") ",\"us\":10,\"source\":\"inferred\"}],\"holders_other_us\":0}"),
			     NULL, 0, 0);

	assert_has(text, "~spin a.c:7\n");
	free(text);
}
END_TEST

/* Locks at the same address differ by their kind. A lock without a wait since the earlier output is left out. */
START_TEST(test_of_an_interval)
{
	static const char rest[] = ",\"places\":[],\"other_us\":0,\"holders\":" UNKNOWN "}";
	char now[2048], before[1024];

	snprintf(before, sizeof(before), RESULT("{" CRITICAL "," WAITS("250") "%s,{" HEAP_LOCK "," WAITS("40") "%s"),
		 rest, rest);
	snprintf(now, sizeof(now),
		 RESULT("{" CRITICAL "," WAITS("250") "%s,{" HEAP_LOCK "," WAITS(
			 "90") "%s,{\"state\":\"atomic\","
			       "\"address\":\"0x10\",\"name\":\"red\"," WAITS("100") "%s"),
		 rest, rest, rest);
	char *text = draw_of(now, before, 0, 0);
	const char *atomic = strstr(text, "\nred     atomic   10.0");

	ck_assert_msg(atomic && strstr(atomic, "\n0x7f20  lock      5.0"), "%s", text);
	ck_assert_ptr_null(strstr(text, "critical"));
	free(text);
}
END_TEST

START_TEST(test_nothing_where_nobody_waits)
{
	char *text = draw_of(RESULT(""), NULL, 80, 24);

	ck_assert_str_eq(text, "");
	free(text);
}
END_TEST

START_TEST(test_fits_the_screen)
{
	struct buf all = {0};

	for (int i = 0; i < 20; i++)
		text_printf(&all,
			    "%s{\"state\":\"lock\",\"address\":\"0x%d\",\"name\":\"a_lock_with_a_long_name_\\u001b["
			    "31m_%d\","
			    "\"wait_us\":%d,\"max_waiters\":2,\"mean_waiters\":1,\"places\":[{\"place\":{\"function\":"
			    "\"a_function_with_a_name_that_is_long\",\"location\":{\"rc\":\"ompd_rc_unavailable\"}},"
			    "\"wait_us\":5}],\"other_us\":0,\"holders\":[]}",
			    i ? "," : "{\"locks\":[", i, i, i + 1);
	text_add(&all, "]}");
	char *text = draw_of(all.data, NULL, 80, 24);
	size_t n = 0;

	for (const char *line = text; *line; line += strcspn(line, "\n") + 1, n++)
		ck_assert_uint_le(strcspn(line, "\n"), 80);
	ck_assert_uint_eq(n, TOP_LOCKS_MAX + 2);
	ck_assert_ptr_null(strchr(text, '\033'));
	free(text);
	buf_deinit(&all);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("top_locks");
	TCase *draw = tcase_create("top_locks_draw");

	tcase_add_test(draw, test_shares_waiters_and_places);
	tcase_add_test(draw, test_what_is_not_known_is_a_dash);
	tcase_add_test(draw, test_who_ran_is_marked);
	tcase_add_test(draw, test_of_an_interval);
	tcase_add_test(draw, test_nothing_where_nobody_waits);
	tcase_add_test(draw, test_fits_the_screen);
	suite_add_tcase(suite, draw);
	return check_main(suite);
}
