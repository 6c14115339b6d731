/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/dap/frames.c. */
#include "frames.h"

#include <string.h>

#include <json-c/json.h>

#include "check_main.h"
#include "message.h"
#include "two_levels.h"

/* Native frames with these names; NULL ends the list. */
static struct json_object *stack(const char *const *names)
{
	struct json_object *list = json_object_new_array();

	for (; *names; names++) {
		struct json_object *frame = json_object_new_object();

		dap_message_put_string(frame, "name", *names);
		json_object_array_add(list, frame);
	}
	return list;
}

/*
 * A team of two threads at its region's end: thread 10 executes an explicit task whose parent is the task of thread 11.
 */
static struct view *a_task(void)
{
	static const char json[] =
		"{\"threads\":[" TWO_LEVELS_THREAD(10, 0, "work_parallel", "inferred", "p1", "k1") "," TWO_LEVELS_THREAD(
			11, 1, "wait_taskwait", "plugin", "p1",
			"k11") "],\"parallels\":[{\"handle\":\"p0\",\"level\":0,\"team_size\":1,\"threads\":[10]},"
			       "{\"handle\":\"p1\",\"level\":1,\"team_size\":2,\"enclosing\":\"p0\","
			       "\"threads\":[10,11]}],\"tasks\":[" TWO_LEVELS_TASK(
				       "k0", "initial", 10, "p0",
				       "") "," TWO_LEVELS_TASK("k10", "implicit", 10, "p1",
							       "k0") "," TWO_LEVELS_TASK("k11", "implicit", 11, "p1",
											 "k0") "," TWO_LEVELS_TASK("k1",
														   "exp"
														   "lic"
														   "it",
														   10,
														   "p1",
														   "k1"
														   "1") "]}";
	return two_levels_view_of(json, sizeof(json) - 1);
}

/* Checks the merged stack of thread @tid of @v: names in their order, labels in brackets without their ends. */
static void assert_merged_of(struct view *v, int64_t tid, const char *const *const *names, const char *expected)
{
	size_t threads[FRAMES_MAX_THREADS], n = frames_threads(v, view_thread(v, tid), threads);
	struct json_object *stacks[FRAMES_MAX_THREADS];
	struct frames f;
	struct buf t = {0};

	for (size_t i = 0; i < n; i++)
		stacks[i] = names[i] ? stack(names[i]) : NULL;
	frames_merge(v, threads, stacks, n, &f);
	for (size_t i = 0; i < f.n; i++) {
		if (f.items[i].native)
			text_printf(&t, "%s ", dap_message_string(f.items[i].native, "name"));
		else
			text_printf(&t, "[%.17s] ", f.items[i].label);
	}
	text_add(&t, "");
	ck_assert_str_eq(t.data, expected);
	buf_deinit(&t);
	frames_deinit(&f);
	for (size_t i = 0; i < n; i++)
		json_object_put(stacks[i]);
	view_destroy(v);
}

static void assert_merged(int64_t tid, const char *const *const *names, const char *expected)
{
	assert_merged_of(two_levels(), tid, names, expected);
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

START_TEST(test_frames_own_regions_are_labelled_where_they_were_met)
{
	assert_merged(
		10,
		(const char *const *const[]){NAMES("add", "inner._omp_fn.1", "GOMP_parallel", "inner",
						   "solve._omp_fn.0", "GOMP_parallel", "solve", "main", "_start")},
		"add inner._omp_fn.1 [parallel region 2] GOMP_parallel inner solve._omp_fn.0 [parallel region 1] "
		"GOMP_parallel "
		"solve main _start ");
}
END_TEST

START_TEST(test_frames_llvm_calls_what_it_made_twice)
{
	assert_merged(10,
		      (const char *const *const[]){
			      NAMES(".omp_outlined._debug__", ".omp_outlined.", "__kmp_invoke_microtask",
				    "___lldb_unnamed_symbol1", "__kmpc_fork_call", "inner", ".omp_outlined._debug__.2",
				    ".omp_outlined..3", "__kmp_invoke_microtask", "__kmpc_fork_call", "main")},
		      ".omp_outlined._debug__ .omp_outlined. [parallel region 2] __kmp_invoke_microtask "
		      "___lldb_unnamed_symbol1 "
		      "__kmpc_fork_call inner .omp_outlined._debug__.2 .omp_outlined..3 [parallel region 1] "
		      "__kmp_invoke_microtask "
		      "__kmpc_fork_call main ");
}
END_TEST

START_TEST(test_frames_go_on_with_the_thread_that_met_the_region)
{
	const char *const *master = NAMES("add", "inner._omp_fn.1", "GOMP_parallel", "inner", "solve._omp_fn.0",
					  "GOMP_parallel", "solve", "main", "_start");

	assert_merged(
		13,
		(const char *const *const[]){NAMES("work", "inner._omp_fn.1", "??", "start_thread", "clone"), master},
		"work inner._omp_fn.1 ?? start_thread clone [parallel region 2] inner solve._omp_fn.0 [parallel region "
		"1] "
		"GOMP_parallel solve main ");
	assert_merged(12,
		      (const char *const *const[]){NAMES("futex_wait", "??", "solve._omp_fn.0", "??", "clone"), master},
		      "futex_wait ?? solve._omp_fn.0 ?? clone [parallel region 1] solve main ");
}
END_TEST

START_TEST(test_frames_a_region_that_is_over_has_no_body)
{
	/* Thread 10 waits at the end of region 2, and thread 12 at the end of region 1. */
	const char *const *master = NAMES("futex_wait", "??", "GOMP_parallel", "inner", "solve._omp_fn.0",
					  "GOMP_parallel", "solve", "main");

	assert_merged(10, (const char *const *const[]){master},
		      "futex_wait ?? [parallel region 2] GOMP_parallel inner solve._omp_fn.0 [parallel region 1] "
		      "GOMP_parallel solve "
		      "main ");
	assert_merged(12, (const char *const *const[]){NAMES("futex_wait", "??", "clone"), master},
		      "futex_wait ?? clone [parallel region 1] solve main ");
}
END_TEST

START_TEST(test_frames_a_task_at_the_end_of_a_region)
{
	assert_merged_of(
		a_task(), 10,
		(const char *const *const[]){NAMES("count", "solve._omp_fn.1", "___lldb_unnamed_symbol764",
						   "___lldb_unnamed_symbol774", "solve", "main", "_start")},
		"count solve._omp_fn.1 [explicit task, ge] ___lldb_unnamed_symbol764 ___lldb_unnamed_symbol774 "
		"[parallel region 1] solve main _start ");
	/* If the fork is on the stack, the label is at the fork. */
	assert_merged_of(a_task(), 10,
			 (const char *const *const[]){
				 NAMES("count", "solve._omp_fn.1", "??", "GOMP_parallel", "solve", "main", "_start")},
			 "count solve._omp_fn.1 [explicit task, ge] ?? [parallel region 1] GOMP_parallel solve main "
			 "_start ");
	/* Without the runtime's frames, the end of the task's frames and its caller are unknown. */
	assert_merged_of(a_task(), 10, (const char *const *const[]){NAMES("solve._omp_fn.1", "solve", "main")},
			 "solve._omp_fn.1 solve main ");
}
END_TEST

START_TEST(test_frames_what_does_not_belong_together_gets_no_label)
{
	/* Three function bodies in two regions. */
	assert_merged(10,
		      (const char *const *const[]){NAMES("a._omp_fn.2", "x", "inner._omp_fn.1", "GOMP_parallel",
							 "inner", "solve._omp_fn.0", "GOMP_parallel", "main")},
		      "a._omp_fn.2 x inner._omp_fn.1 GOMP_parallel inner solve._omp_fn.0 GOMP_parallel main ");
	/* The other thread's stack is missing or does not match: then only the end is known. */
	assert_merged(13, (const char *const *const[]){NAMES("inner._omp_fn.1", "clone"), NULL},
		      "inner._omp_fn.1 clone [parallel region 2] ");
	assert_merged(13, (const char *const *const[]){NAMES("inner._omp_fn.1", "clone"), NAMES("main")},
		      "inner._omp_fn.1 clone [parallel region 2] ");
}
END_TEST

START_TEST(test_frames_functions_of_regions)
{
	struct view *v = two_levels();
	struct json_object *frames = stack(NAMES("inner._omp_fn.1", "GOMP_parallel", "inner", "solve._omp_fn.0",
						 "GOMP_parallel", "solve", "main"));
	size_t thread = view_thread(v, 10);

	ck_assert_str_eq(frames_function(v, thread, view_region(v, 2), frames), "inner");
	ck_assert_str_eq(frames_function(v, thread, view_region(v, 1), frames), "solve");
	ck_assert_ptr_null(frames_function(v, view_thread(v, 12), view_region(v, 1), frames));
	json_object_put(frames);
	view_destroy(v);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dap/frames");
	TCase *tcase = tcase_create("frames");

	tcase_add_test(tcase, test_frames_own_regions_are_labelled_where_they_were_met);
	tcase_add_test(tcase, test_frames_llvm_calls_what_it_made_twice);
	tcase_add_test(tcase, test_frames_go_on_with_the_thread_that_met_the_region);
	tcase_add_test(tcase, test_frames_a_region_that_is_over_has_no_body);
	tcase_add_test(tcase, test_frames_a_task_at_the_end_of_a_region);
	tcase_add_test(tcase, test_frames_what_does_not_belong_together_gets_no_label);
	tcase_add_test(tcase, test_frames_functions_of_regions);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
