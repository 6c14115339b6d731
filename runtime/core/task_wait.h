/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A task waits for others: taskwait, the end of a taskgroup, dependences of an undeferred task. Meanwhile its thread
 * runs descendants of the waiting task.
 */
#ifndef OMPDD_RUNTIME_CORE_TASK_WAIT_H
#define OMPDD_RUNTIME_CORE_TASK_WAIT_H

#include "core/sleep.h"
#include "core/task.h"
#include "core/team.h"

/* The object of a wait: the first field that is set, otherwise the current task's children. */
struct task_condition {
	const struct taskgroup *group;
	const int32_t *pending; /* waits until it is zero: depend_node.n_pending */
};

void task_wait(struct thread *t, struct task_condition until, ompt_state_t state, struct site site);

/* Wakes @m, if it sleeps, to check its condition. The caller has just changed that. */
static inline void task_wake(struct member *m)
{
	sleeper_wake(&m->asleep);
}

/* The region was cancelled: wakes all sleeping members. */
void task_wake_all(struct team *team) __attribute__((cold));

/* A descendant of a waiting task has become ready: wakes the members that sleep, if any. */
static inline void task_wake_sleepers(struct team *team)
{
	if (unlikely(sleep_is_said(&team->n_sleepers)))
		task_wake_all(team);
}

#endif
