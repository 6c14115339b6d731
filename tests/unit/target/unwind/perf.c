/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/unwind/perf: stacks of running threads, and whether a thread has run. A kernel that refuses must say
 * why. */
#include <unistd.h>

#include "check_main.h"
#include "child_fixture.h"
#include "target/modules/modules.h"
#include "target/unwind/perf.h"
#include "target/source/source.h"
#include "target/unwind/stack.h"
#include "target/target.h"

#define PERIOD_US 1000

static struct perf *perf;

static volatile int behind;

__attribute__((noinline)) static void busy(void)
{
	child_shared->ready = 1;
	while (child_shared->go != 2) {
		while (child_shared->go == 0)
			behind++;
		/* It sleeps until it may run again. */
		while (child_shared->go == 1) {
			child_shared->counters[0]++;
			usleep(1000);
		}
	}
}

__attribute__((noinline)) static void outer(void)
{
	busy();
	behind = 1;
}

/* Returns false if this kernel refuses, with a reason. */
static bool start(void)
{
	attach_child(outer, 1, TARGET_OBSERVE, 1000);
	ck_assert_no_err(perf_create(PERIOD_US, &perf));
	struct error *err = perf_watch(perf, child);
	if (err) {
		ck_assert_int_eq(err->code, ERR_PERF_REFUSED);
		ck_assert_str_ne(error_hint_text(err), "");
		error_destroy(err);
		return false;
	}
	ck_assert(perf_watches(perf, child));
	return true;
}

static void finish(void)
{
	perf_destroy(perf);
	perf = NULL;
}

struct seen {
	int n;
	bool in_busy, in_outer;
};

static void on_sample(void *arg, const struct perf_sample *sample)
{
	struct seen *seen = arg;
	struct stack stack;

	ck_assert_int_eq(sample->copy.tid, child);
	target_view_begin(t);
	const struct target_module *modules;
	size_t n;
	ck_assert_no_err(target_modules(t, &modules, &n));
	stack_unwind(t, &sample->copy, 64, &stack);
	seen->n++;
	for (size_t i = 0; i < stack.n; i++) {
		uint64_t pc = stack.frames[i].pc;

		seen->in_busy |= i == 0 && pc >= (uint64_t)(uintptr_t)busy && pc < (uint64_t)(uintptr_t)busy + 512;
		seen->in_outer |= i == 1 && pc > (uint64_t)(uintptr_t)outer && pc < (uint64_t)(uintptr_t)outer + 512;
	}
	stack_deinit(&stack);
}

START_TEST(test_stacks_of_a_running_thread)
{
	struct seen seen = {0};

	if (start()) {
		while (seen.n < 3 || !seen.in_busy || !seen.in_outer)
			perf_read(perf, child, on_sample, &seen);
		/* No process has stopped it. */
		ck_assert(!child_any_stopped(child));
	}
	finish();
}
END_TEST

START_TEST(test_who_sleeps_has_not_run)
{
	if (start()) {
		struct target_activity activity;

		/* It runs a little each millisecond. */
		child_shared->go = 1;
		uint32_t runs = perf_runs(perf, child);
		ck_assert_uint_ne(runs, 0);
		while (perf_runs(perf, child) == runs)
			usleep(100);
		/* It is asleep, and has not run since the change at the end of its sleep was seen. */
		for (int i = 0; i < 100;) {
			runs = perf_runs(perf, child);
			target_activity(t, child, &activity);
			uint64_t before = child_shared->counters[0], now = before;
			if (!activity.known || perf_runs(perf, child) != runs)
				continue;
			for (;;) {
				now = child_shared->counters[0];
				if (perf_runs(perf, child) != runs)
					break;
				ck_assert_uint_eq(now, before);
			}
			i++;
		}
	}
	finish();
}
END_TEST

START_TEST(test_what_is_not_kept_is_gone)
{
	if (start()) {
		pid_t none[] = {1};

		perf_keep(perf, &child, 1);
		ck_assert(perf_watches(perf, child));
		perf_keep(perf, none, 1);
		ck_assert(!perf_watches(perf, child));
		ck_assert_uint_eq(perf_runs(perf, child), 0);
		ck_assert_no_err(perf_watch(perf, child));
	}
	finish();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target/unwind/perf");
	TCase *tc = tcase_create("perf");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_stacks_of_a_running_thread);
	tcase_add_test(tc, test_who_sleeps_has_not_run);
	tcase_add_test(tc, test_what_is_not_kept_is_gone);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
