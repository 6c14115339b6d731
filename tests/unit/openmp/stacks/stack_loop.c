/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/stacks/stack_loop: places of a function of this program, in a child that runs it. */
#include "openmp/stacks/stack_loop.h"

#include "base/error.h"
#include "check_main.h"
#include "child_fixture.h"

#pragma GCC visibility push(hidden) /* local labels have no entry in the global offset table */
extern const char loop_before[], loop_first[], loop_second[], loop_other[], loop_behind[];
#pragma GCC visibility pop

/* Two loops, one after the other, with labels. */
__attribute__((noinline)) static void run_loops(volatile int *n)
{
	__asm__ volatile("loop_before: nop");
	while (*n > 0) {
		__asm__ volatile("loop_first: nop");
		--*n;
		__asm__ volatile("loop_second: nop");
	}
	while (*n < 10) {
		__asm__ volatile("loop_other: nop");
		++*n;
	}
	__asm__ volatile("loop_behind: nop");
}

static struct stack_loops loops;

static enum stack_loop find(const char *a, const char *b)
{
	enum stack_loop found = stack_loop_find(&loops, t, (uint64_t)(uintptr_t)a, (uint64_t)(uintptr_t)b);

	ck_assert_int_eq(found, stack_loop_find(&loops, t, (uint64_t)(uintptr_t)b, (uint64_t)(uintptr_t)a));
	return found;
}

START_TEST(test_places_of_loops)
{
	int n = 10;

	run_loops(&n);
	ck_assert_int_eq(n, 10);
	attach_child(child_sleeper, 1, TARGET_OBSERVE, 1000);
	target_view_begin(t);
	const struct target_thread *threads;
	size_t n_threads;
	ck_assert_no_err(target_threads(t, &threads, &n_threads));
	ck_assert_int_eq(find(loop_first, loop_second), STACK_LOOP_ONE);
	ck_assert_int_eq(find(loop_first, loop_first), STACK_LOOP_ONE);
	ck_assert_int_eq(find(loop_first, loop_other), STACK_LOOP_NONE);
	ck_assert_int_eq(find(loop_before, loop_behind), STACK_LOOP_NONE);
	ck_assert_int_eq(find(loop_behind, loop_behind), STACK_LOOP_NONE);
	ck_assert_int_eq(stack_loop_find(&loops, t, 0x10, 0x10), STACK_LOOP_UNKNOWN);
	stack_loops_deinit(&loops);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/stacks/stack_loop");
	TCase *tc = tcase_create("loop");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_places_of_loops);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
