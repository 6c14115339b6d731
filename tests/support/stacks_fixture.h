/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A fixture for tests of stacks: model_fixture.h, and the stacks `st` of all threads of the child in one moment. */
#ifndef OMPDD_SUPPORT_STACKS_FIXTURE_H
#define OMPDD_SUPPORT_STACKS_FIXTURE_H

#include "model_fixture.h"
#include "openmp/stacks/stacks.h"
#include "target/control.h"

#define MAX_STACK_BYTES (1 << 20)
#define MAX_FRAMES	64

static struct stacks st;
static struct snapshot s;
static struct snapshot_thread snapshot_threads[CHILD_MAX_THREADS];

/* Stop the child and take the stacks of its threads, which `s` lists without any OpenMP data. */
static inline void take_stacks(void)
{
	const struct snapshot_ref none = {ompd_rc_unavailable, SNAPSHOT_NONE, 0};
	const struct target_thread *threads;
	pid_t tids[CHILD_MAX_THREADS];
	int64_t us;

	ck_assert_no_err(target_stop(t, 1000));
	target_view_begin(t);
	ck_assert_no_err(model_open(m));
	s = (struct snapshot){.threads = snapshot_threads};
	ck_assert_no_err(target_threads(t, &threads, &s.n_threads));
	ck_assert_uint_le(s.n_threads, CHILD_MAX_THREADS);
	for (size_t i = 0; i < s.n_threads; i++) {
		tids[i] = threads[i].tid;
		snapshot_threads[i] = (struct snapshot_thread){.tid = tids[i], .parallel = none, .task = none};
	}
	ck_assert_no_err(stacks_take(m, &s, tids, s.n_threads, MAX_STACK_BYTES, MAX_FRAMES, &st));
	ck_assert_no_err(target_resume(t, &us));
}

/* Release the stacks and the model before teardown(). */
static inline void stop_stacks(void)
{
	stacks_deinit(&st);
	stop_model();
}

#endif
