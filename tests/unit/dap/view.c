/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/dap/view.c. */
#include "view.h"

#include <string.h>

#include <json-c/json.h>

#include "check_main.h"
#include "format.h"
#include "message.h"
#include "two_levels.h"

START_TEST(test_view_names_and_order)
{
	static const char *const names[] = {"0.0 serial", "1.1 barrier, solve", "2.0 work~", "2.1 critical"};
	struct view *v = two_levels();

	view_set_function(v, view_region(v, 1), "solve._omp_fn.0");
	for (size_t i = 0; i < 4; i++) {
		char *name = view_thread_name(v, v->order[i]);

		ck_assert_str_eq(name, names[i]);
		free(name);
	}
	ck_assert_str_eq(v->s.threads[v->order[5]].comm, "logger");
	view_destroy(v);
}
END_TEST

START_TEST(test_view_finds_threads)
{
	struct view *v = two_levels();

	ck_assert_int_eq(v->s.threads[view_thread(v, 13)].tid, 13);
	ck_assert(view_in_region(v, view_thread(v, 13)));
	ck_assert(!view_in_region(v, view_thread(v, 9)));
	/* The thread is present, but unknown to OpenMP. */
	ck_assert_uint_eq(view_thread(v, 99), FACTS_NONE);
	ck_assert_uint_eq(view_thread(v, -1), FACTS_NONE);
	view_destroy(v);
}
END_TEST

START_TEST(test_view_chains_lead_to_who_met_the_region)
{
	struct view_chain *chain = calloc(1, sizeof(*chain));
	struct view *v = two_levels();

	view_chain_of(v, view_thread(v, 13), chain);
	ck_assert(chain->is_whole);
	ck_assert_uint_eq(chain->n, 1);
	ck_assert(chain->steps[0].is_region && chain->steps[0].leaves);
	/* Its own region, then the region in which it encountered it, which main() started. */
	view_chain_of(v, view_thread(v, 10), chain);
	ck_assert_uint_eq(chain->n, 2);
	ck_assert(chain->is_whole && !chain->steps[0].leaves && chain->steps[1].is_region);
	view_destroy(v);
	free(chain);
}
END_TEST

static struct view *view_of(const char *text)
{
	return two_levels_view_of(text, strlen(text));
}

START_TEST(test_view_takes_control_variables_of_the_same_tasks)
{
	static const char of[] =
		"{\"tasks\":[{\"handle\":\"t1:e7:task:1\",\"kind\":\"implicit\",\"thread\":5,\"icvs\":{"
		"\"a\":1}},{\"handle\":\"t1:e7:task:3\",\"kind\":\"explicit\",\"thread\":6,\"icvs\":{"
		"\"a\":2}}]}";
	struct view *v = view_of("{\"tasks\":[{\"handle\":\"t1:e6:task:1\",\"kind\":\"implicit\",\"thread\":5},{"
				 "\"handle\":\"t1:e6:task:2\",\"kind\":\"explicit\",\"thread\":6}]}");
	struct json_object *result = dap_message_parse(of, strlen(of)), *none = dap_message_parse("{}", 2);

	view_take_icvs(v, none);
	ck_assert_ptr_null(json_read_member(v->s.tasks[0].json, "icvs"));
	view_take_icvs(v, result);
	ck_assert_int_eq(dap_message_int(json_read_member(v->s.tasks[0].json, "icvs"), "a", 0), 1);
	ck_assert_ptr_null(json_read_member(v->s.tasks[1].json, "icvs"));
	json_object_put(none);
	json_object_put(result);
	view_destroy(v);
}
END_TEST

START_TEST(test_view_takes_anything)
{
	static const char *const texts[] = {"{}", "{\"threads\":7,\"parallels\":{},\"tasks\":\"x\"}",
					    "{\"threads\":[{}, null, 7],\"tasks\":[{}],\"parallels\":[{}]}",
					    "{\"parallels\":[{\"handle\":\"a\",\"level\":1,\"enclosing\":\"b\"},{"
					    "\"handle\":\"b\",\"level\":1,\"enclosing\":\"a\"}]}",
					    "{\"threads\":[{\"tid\":1,\"openmp\":true,\"task\":\"t\"}],\"tasks\":[{"
					    "\"handle\":\"t\",\"kind\":\"implicit\",\"thread\":1,"
					    "\"generating\":\"t\"}]}"};
	struct view_chain *chain = calloc(1, sizeof(*chain));

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct json_object *json = dap_message_parse(texts[i], strlen(texts[i]));
		struct view *v = view_of(texts[i]);

		for (size_t k = 0; k < v->s.n_threads; k++) {
			char *name = view_thread_name(v, k);

			ck_assert_uint_gt(strlen(name), 0);
			view_chain_of(v, k, chain);
			ck_assert_uint_le(chain->n, VIEW_MAX_STEPS);
			free(name);
		}
		view_take_icvs(v, json);
		view_destroy(v);
		json_object_put(json);
	}
	free(chain);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dap/view");
	TCase *tcase = tcase_create("view");

	tcase_add_test(tcase, test_view_names_and_order);
	tcase_add_test(tcase, test_view_finds_threads);
	tcase_add_test(tcase, test_view_chains_lead_to_who_met_the_region);
	tcase_add_test(tcase, test_view_takes_control_variables_of_the_same_tasks);
	tcase_add_test(tcase, test_view_takes_anything);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
