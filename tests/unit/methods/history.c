/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of ompdd/methods/history.c and of its ring: its limits, and what a result says about threads that come and go.
 */
#include "methods/history.h"

#include <string.h>

#include <json-c/json.h>

#include "check_main.h"
#include "rpc/json_read.h"

static const char working[] = "{\"key\":\"work\",\"text\":\"working\",\"letter\":\"W\",\"count\":1}";
static const char waiting[] = "{\"key\":\"wait\",\"text\":\"barrier\",\"letter\":\"B\",\"count\":1}";

static struct history *h;

static void set_up(void)
{
	h = history_create();
}

static void tear_down(void)
{
	history_destroy(h);
}

static void add(int64_t at_ms, const char *states, const char *tids, const char *numbers, const char *codes)
{
	char text[1000];

	snprintf(text, sizeof(text), "{\"states\":[%s],\"tids\":[%s],\"numbers\":[%s],\"codes\":[%s]}", states, tids,
		 numbers, codes);
	struct json_object *view = json_tokener_parse(text);
	ck_assert_ptr_nonnull(view);
	history_read(h, view, at_ms);
	json_object_put(view);
}

/* Add a sample of @n threads from @first on. */
static void add_threads(int64_t at_ms, int first, size_t n)
{
	struct json_object *view = json_object_new_object(), *states = json_object_new_array();
	struct json_object *tids = json_object_new_array(), *numbers = json_object_new_array();

	json_object_array_add(states, json_tokener_parse(working));
	for (size_t i = 0; i < n; i++) {
		json_object_array_add(tids, json_object_new_int(first + (int)i));
		json_object_array_add(numbers, json_object_new_int(0));
	}
	json_object_object_add(view, "states", states);
	json_object_object_add(view, "tids", tids);
	json_object_object_add(view, "numbers", numbers);
	json_object_object_add(view, "codes", json_object_get(numbers));
	history_read(h, view, at_ms);
	json_object_put(view);
}

static struct json_object *get(int64_t now_ms)
{
	struct json_object *o = json_object_new_object();

	ck_assert_no_err(history_write(h, now_ms, o));
	return o;
}

static void assert_text(struct json_object *o, const char *key, const char *text)
{
	ck_assert_str_eq(json_object_to_json_string_ext(json_read_member(o, key), JSON_C_TO_STRING_PLAIN), text);
}

/* States keep their number when the numbers of the view change. */
START_TEST(test_threads_that_come_and_go)
{
	char both[300];

	snprintf(both, sizeof(both), "%s,%s", waiting, working);
	add(1000, working, "7", "0", "0");
	add(2500, both, "7,5", "0,1", "0,1");
	add(3999, waiting, "5", "-1", "0");
	struct json_object *o = get(4000);
	assert_text(o, "ages_ms", "[3000,1500,1]");
	assert_text(o, "states",
		    "[{\"key\":\"work\",\"text\":\"working\",\"letter\":\"W\"},"
		    "{\"key\":\"wait\",\"text\":\"barrier\",\"letter\":\"B\"}]");
	assert_text(o, "threads",
		    "[{\"tid\":5,\"number\":-1,\"name\":\"\",\"codes\":\".01\"},"
		    "{\"tid\":7,\"number\":0,\"name\":\"\",\"codes\":\"01.\"}]");
	assert_text(o, "n_threads_left_out", "0");
	json_object_put(o);
}
END_TEST

/* A thread has the name of its last sample. Names beyond the limits are empty, and take no place of others. */
START_TEST(test_names)
{
	char long_name[HISTORY_MAX_NAME + 1], text[300], name[16];

	memset(long_name, 'x', HISTORY_MAX_NAME);
	long_name[HISTORY_MAX_NAME] = 0;
	for (int i = 0; i < 2; i++) {
		snprintf(text, sizeof(text),
			 "{\"states\":[%s],\"tids\":[7,8],\"numbers\":[0,1],\"codes\":[0,0],\"names\":[\"%s\",\"%s\"]}",
			 working, i ? "second" : "first", long_name);
		struct json_object *view = json_tokener_parse(text);
		history_read(h, view, 1000 * (1 + i));
		json_object_put(view);
	}
	struct json_object *o = get(3000);
	assert_text(o, "threads",
		    "[{\"tid\":7,\"number\":0,\"name\":\"second\",\"codes\":\"00\"},"
		    "{\"tid\":8,\"number\":1,\"name\":\"\",\"codes\":\"00\"}]");
	json_object_put(o);
	for (int i = 0; i < 2 * HISTORY_MAX_NAMES; i++) {
		snprintf(name, sizeof(name), "%d", i);
		ck_assert_uint_lt(history_find_name(h, name), HISTORY_MAX_NAMES);
	}
	ck_assert_uint_eq(history_find_name(h, "later"), 0);
	ck_assert_str_eq(h->names[history_find_name(h, "second")], "second");
}
END_TEST

START_TEST(test_one_sample_a_second)
{
	for (int i = 0; i < 25; i++)
		add(1000 + 100 * i, working, "7", "0", "0");
	struct json_object *o = get(3400);
	assert_text(o, "ages_ms", "[2400,1400,400]");
	json_object_put(o);
}
END_TEST

/* The oldest samples go, by their number and by their age. */
START_TEST(test_ten_minutes)
{
	for (int i = 0; i < HISTORY_SAMPLES + 50; i++)
		add(INT64_C(1000) * i, working, "7", "0", "0");
	struct json_object *o = get(INT64_C(1000) * (HISTORY_SAMPLES + 49));
	ck_assert_uint_eq(json_read_length(json_read_member(o, "ages_ms")), HISTORY_SAMPLES);
	json_object_put(o);
	o = get(INT64_C(1000) * (2 * HISTORY_SAMPLES + 39));
	ck_assert_uint_eq(json_read_length(json_read_member(o, "ages_ms")), 11);
	json_object_put(o);
	o = get(INT64_C(10000) * HISTORY_SAMPLES);
	assert_text(o, "ages_ms", "[]");
	assert_text(o, "threads", "[]");
	json_object_put(o);
}
END_TEST

/* New threads in each sample: neither the memory nor a result grows without end. */
START_TEST(test_many_threads)
{
	for (int i = 0; i < 100; i++) {
		add_threads(INT64_C(1000) * i, 1 + 5000 * i, 5000);
		ck_assert_uint_le(h->bytes, HISTORY_MAX_BYTES);
	}
	struct json_object *o = get(99000), *threads = json_read_member(o, "threads");
	ck_assert_uint_eq(json_read_length(threads), 4096);
	/* Threads of the newest sample. */
	ck_assert_int_eq(json_read_int(json_read_member(json_object_array_get_idx(threads, 0), "tid"), 0),
			 1 + 5000 * 99);
	ck_assert_int_gt(json_read_int(json_read_member(o, "n_threads_left_out"), 0), 0);
	json_object_put(o);
	add_threads(100000, 1, HISTORY_MAX_BYTES);
	ck_assert_uint_le(h->bytes, HISTORY_MAX_BYTES);
	history_clear(h);
	ck_assert_uint_eq(h->bytes, 0);
}
END_TEST

/* A foreign library's names are of any number and length. */
START_TEST(test_many_states)
{
	char state[600], name[201];

	memset(name, 'x', 200);
	name[200] = 0;
	snprintf(state, sizeof(state), "{\"key\":\"%s\",\"text\":\"%s\",\"letter\":\"\"}", name, name);
	add(0, state, "7", "0", "0");
	for (int i = 1; i < 200; i++) {
		snprintf(state, sizeof(state), "{\"key\":\"other\",\"text\":\"s%d\",\"letter\":\"?\"}", i);
		add(INT64_C(1000) * i, state, "7", "0", "0");
	}
	struct json_object *o = get(200000);
	ck_assert_uint_eq(json_read_length(json_read_member(o, "states")), 64);
	struct json_object *thread = json_object_array_get_idx(json_read_member(o, "threads"), 0);
	ck_assert_uint_eq(strlen(json_read_text(thread, "codes")), 200);
	json_object_put(o);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("methods/history");
	TCase *t = tcase_create("history");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, test_threads_that_come_and_go);
	tcase_add_test(t, test_names);
	tcase_add_test(t, test_one_sample_a_second);
	tcase_add_test(t, test_ten_minutes);
	tcase_add_test(t, test_many_threads);
	tcase_add_test(t, test_many_states);
	suite_add_tcase(s, t);
	return check_main(s);
}
