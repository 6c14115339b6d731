/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cancellation (OpenMP 5.2, 11). */
#ifndef OMPDD_RUNTIME_CORE_SYNC_CANCEL_H
#define OMPDD_RUNTIME_CORE_SYNC_CANCEL_H

#include <stdbool.h>

#include "core/state/icv.h"
#include "core/state/team.h"

/* cancel-var. If it is false, no function below returns true. */
static inline bool cancel_is_on(void)
{
	return icv_process.cancellation;
}

/* The cancel construct: activates the cancellation. Returns true if the current task is cancelled as well. */
bool cancel_request(struct thread *t, int what) __attribute__((cold));
/* The cancellation point construct: returns whether the current task is cancelled. */
bool cancel_point(struct thread *t, int what) __attribute__((cold));
/* Returns whether the worksharing construct of @t gives out no more work, because it or the region is cancelled. */
bool cancel_ends_workshare(const struct thread *t) __attribute__((cold));
/* Returns whether a task that has not started must not start. */
bool cancel_discards(const struct task *task) __attribute__((cold));

static inline bool cancel_parallel_active(const struct team *team)
{
	return __atomic_load_n(&team->cancelled, __ATOMIC_ACQUIRE) & CANCEL_PARALLEL;
}

#endif
