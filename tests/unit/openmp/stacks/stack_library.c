/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/stacks/stack_library: a child's calls of the C library, seen on its stack. */
#include "openmp/stacks/stack_library.h"

#include <search.h>
#include <string.h>

#include "stacks_fixture.h"

static int compare_and_sleep(const void *a, const void *b)
{
	child_shared->ready = 1;
	while (!child_shared->go)
		pause();
	return *(const int *)a - *(const int *)b;
}

/* Sanitizers do not replace this function. */
static void find_number(void)
{
	int numbers[] = {3, 1, 2}, wanted = 2;
	size_t n = 3;

	child_shared->go = lfind(&wanted, numbers, &n, sizeof(numbers[0]), compare_and_sleep) != NULL;
}

/* Sleep in code that is on the stack twice. */
static int search(const void *key, const void *number)
{
	int numbers[] = {1};

	(void)key;
	qsort(numbers, 1, sizeof(numbers[0]), compare_and_sleep);
	return compare_and_sleep(numbers, number);
}

static void search_once(void)
{
	int number = 7;

	child_shared->go = bsearch(&number, &number, 1, sizeof(number), search) != NULL;
}

/* Check that the main thread is in these functions of the C library, innermost first, and then in its start. */
static void check_functions(const char *const *names, size_t n)
{
	struct stacks_thread *thread = stacks_thread(&st, stacks_find(&st, child));
	struct library_run run = {0};
	uint32_t end = 0;

	ck_assert_ptr_nonnull(thread);
	ck_assert_int_eq(thread->end, STACK_OUTERMOST);
	for (size_t i = 0; i < n; i++) {
		ck_assert(stack_library_next(&st, thread, &run));
		ck_assert_str_eq(run.function, names[i]);
		ck_assert_uint_ge(run.first, end);
		ck_assert_uint_gt(run.end, run.first);
		end = run.end;
	}
	while (stack_library_next(&st, thread, &run))
		ck_assert_uint_eq(run.end, thread->n_frames - 1);
}

START_TEST(test_calls_between_the_programs_functions)
{
	static const char *const names[] = {"pause", "lfind"};

	start_model(find_number, 1, TARGET_STOP);
	ck_assert(child_wait_state(child, 'S'));
	take_stacks();
	check_functions(names, 2);
	stop_stacks();
}
END_TEST

START_TEST(test_an_inlined_call_leaves_no_frame)
{
	static const char *const names[] = {"pause"};

	start_model(search_once, 1, TARGET_STOP);
	ck_assert(child_wait_state(child, 'S'));
	take_stacks();
	/* glibc's header has bsearch() as an inline function; qsort() of one element calls nothing. */
	check_functions(names, 1);
	stop_stacks();
}
END_TEST

START_TEST(test_no_call_at_all)
{
	struct stacks_thread thread = {.n_frames = 0};
	struct library_run run = {0};

	ck_assert(!stack_library_next(&st, &thread, &run));
	ck_assert_uint_eq(run.end, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/stacks/stack_library");
	TCase *tc = tcase_create("calls");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_calls_between_the_programs_functions);
	tcase_add_test(tc, test_an_inlined_call_leaves_no_frame);
	tcase_add_test(tc, test_no_call_at_all);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
