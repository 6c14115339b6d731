/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of ompdd/view/times.c: the sentence and the tables of a profile. */
#include "view/times.h"

#include <json-c/json.h>

#include "check_main.h"
#include "rpc/json_read.h"

static const char source[] =
	"{\"profile\": {\"recording\": false, \"ended\": \"stopped\", \"elapsed_us\": 2000000, \"samplings\": 199,"
	" \"reached_hz\": 99.5, \"torn\": 1, \"missed\": 0, \"no_stack\": 4},"
	"\"total\": {\"threads\": 4},"
	"\"states\": [{\"name\": \"work\", \"key\": \"work\", \"text\": \"work\", \"letter\": \"W\"},"
	" {\"name\": \"critical\", \"key\": \"mutex\", \"text\": \"critical\", \"letter\": \"C\"}],"
	"\"regions\": [{\"outside\": false, \"level\": 1, \"team_size\": 4, \"imbalance\": 1.25,"
	" \"place\": {\"function\": \"solve\", \"location\": {\"file\": \"/home/u/a.c\", \"line\": 20}},"
	" \"times\": {\"critical\": 2500000, \"work\": 7500000}},"
	" {\"outside\": true, \"level\": {\"rc\": \"ompd_rc_unavailable\"}, \"place\": {},"
	" \"team_size\": {\"rc\": \"ompd_rc_unavailable\"}, \"times\": {\"work\": 9000},"
	" \"imbalance\": {\"rc\": \"ompd_rc_unavailable\", \"message\": \"too few members\"}}],"
	"\"locks\": [{\"state\": \"critical\", \"address\": \"0x4010\", \"wait_us\": 2500000, \"max_waiters\": 1,"
	" \"places\": [{\"place\": {\"function\": \"solve\", \"location\": {\"rc\": \"ompd_rc_unavailable\"}}}],"
	" \"holders\": [{\"us\": 1, \"place\": {\"function\": \"rare\"}},"
	" {\"us\": 9, \"source\": \"inferred\", \"place\": {\"function\": \"often\"}}]}],"
	"\"tasks\": []}";

static struct json_object *get_cell(struct json_object *result, size_t table, size_t row, const char *key)
{
	struct json_object *tables = json_read_member(result, "tables");
	struct json_object *rows = json_read_member(json_object_array_get_idx(tables, table), "rows");

	return json_read_member(json_read_member(json_object_array_get_idx(rows, row), "cells"), key);
}

START_TEST(test_times_text_says_what_limits_the_samples)
{
	struct json_object *result = json_tokener_parse(source);

	times_add(result);
	ck_assert_str_eq(json_read_text(result, "text"),
			 "Recorded 2.0 s: 199 samples, 100 a second, of 4 threads. It has ended: stopped. 1 sample of "
			 "threads were inconsistent and do not count. 4 have no stack.");
	json_object_put(result);
}
END_TEST

START_TEST(test_times_have_a_table_for_each_kind_with_rows)
{
	struct json_object *result = json_tokener_parse(source), *tables;

	times_add(result);
	tables = json_read_member(result, "tables");
	ck_assert_uint_eq(json_read_length(tables), 2);
	ck_assert_str_eq(json_read_text(json_object_array_get_idx(tables, 0), "kind"), "regions");
	ck_assert_str_eq(json_read_text(json_object_array_get_idx(tables, 1), "kind"), "locks");
	json_object_put(result);
}
END_TEST

START_TEST(test_times_of_regions)
{
	struct json_object *result = json_tokener_parse(source), *parts;

	times_add(result);
	ck_assert_str_eq(json_read_text(get_cell(result, 0, 0, "region"), "text"), "solve a.c:20");
	ck_assert_str_eq(json_read_text(get_cell(result, 0, 0, "level"), "text"), "1");
	ck_assert_str_eq(json_read_text(get_cell(result, 0, 0, "time"), "text"), "10.0 s");
	ck_assert_str_eq(json_read_text(get_cell(result, 0, 0, "imbalance"), "text"), "1.25 uneven");
	ck_assert_str_eq(json_read_text(get_cell(result, 0, 0, "states"), "text"), "work 75 %, critical 25 %");
	parts = json_read_member(get_cell(result, 0, 0, "states"), "parts");
	ck_assert_uint_eq(json_read_length(parts), 2);
	ck_assert_str_eq(json_read_text(json_object_array_get_idx(parts, 1), "letter"), "C");
	ck_assert_str_eq(json_read_text(json_object_array_get_idx(parts, 1), "key"), "mutex");
	ck_assert_str_eq(json_read_text(get_cell(result, 0, 1, "region"), "text"), "outside of all regions");
	ck_assert_str_eq(json_read_text(get_cell(result, 0, 1, "imbalance"), "text"), "-");
	ck_assert_str_eq(json_read_text(get_cell(result, 0, 1, "imbalance"), "reason"), "too few members");
	json_object_put(result);
}
END_TEST

START_TEST(test_times_of_locks)
{
	struct json_object *result = json_tokener_parse(source);

	times_add(result);
	ck_assert_str_eq(json_read_text(get_cell(result, 1, 0, "lock"), "text"), "critical 0x4010");
	ck_assert_str_eq(json_read_text(get_cell(result, 1, 0, "waited"), "text"), "2.5 s");
	ck_assert_str_eq(json_read_text(get_cell(result, 1, 0, "most"), "text"), "1 thread");
	ck_assert_str_eq(json_read_text(get_cell(result, 1, 0, "waiters"), "text"), "solve");
	/* The holder with most of the waiting comes first. */
	ck_assert_str_eq(json_read_text(get_cell(result, 1, 0, "holders"), "text"), "about often; rare");
	json_object_put(result);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("view_times");
	TCase *tables = tcase_create("tables");

	tcase_add_test(tables, test_times_text_says_what_limits_the_samples);
	tcase_add_test(tables, test_times_have_a_table_for_each_kind_with_rows);
	tcase_add_test(tables, test_times_of_regions);
	tcase_add_test(tables, test_times_of_locks);
	suite_add_tcase(suite, tables);
	return check_main(suite);
}
