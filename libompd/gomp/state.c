/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* States of stock libgomp's threads, as far as its memory shows them; members of backend_gomp. */
#include "gomp/gomp.h"

/* Detect taskwait, or a wait for dependences, which counts as a taskwait (5.2, 15.5). */
static ompd_rc_t find_taskwait(const struct process *process, const struct gomp_task *task, ompd_word_t *state,
			       ompd_wait_id_t *wait_id)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	uint8_t taskwait, depend;

	if (!task->taskwait || !offset_known(l->tw_taskwait) || !offset_known(l->tw_depend) || !offset_known(l->tw_sem))
		return ompd_rc_unavailable;
	RC_TRY(cb_read(process->context, task->taskwait + l->tw_taskwait, 1, &taskwait));
	RC_TRY(cb_read(process->context, task->taskwait + l->tw_depend, 1, &depend));
	if (taskwait != 1 && depend != 1)
		return ompd_rc_unavailable;
	*state = ompt_state_wait_taskwait;
	*wait_id = task->taskwait + l->tw_sem;
	return ompd_rc_ok;
}

/* Return whether @group is one of @task's open taskgroups. */
static ompd_rc_t has_taskgroup(const struct process *process, ompd_addr_t task, ompd_addr_t group, bool *ret)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	struct gomp_task copy;

	RC_TRY(gomp_task_read(process, task, &copy));
	ompd_addr_t open = copy.taskgroup;

	for (unsigned n = 0; n < GOMP_MAX_TASKGROUPS; n++) {
		*ret = open == group;
		if (*ret || !open)
			return ompd_rc_ok;
		RC_TRY(PROCESS_READ(process, open + l->tg_prev, &open));
	}
	return ompd_rc_unavailable;
}

/* Detect the end of a taskgroup. All its tasks see its wait flag, so find the task that opened it. */
static ompd_rc_t find_taskgroup(const struct process *process, const struct gomp_task *task, ompd_word_t *state,
				ompd_wait_id_t *wait_id)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	uint8_t waiting;
	bool inherited;

	if (!task->taskgroup || !offset_known(l->tg_waiting) || !offset_known(l->tg_sem) || !offset_known(l->tg_prev))
		return ompd_rc_unavailable;
	RC_TRY(cb_read(process->context, task->taskgroup + l->tg_waiting, 1, &waiting));
	if (waiting != 1)
		return ompd_rc_unavailable;
	if (task->kind != GOMP_TASK_IMPLICIT) {
		if (!task->parent)
			return ompd_rc_unavailable;
		RC_TRY(has_taskgroup(process, task->parent, task->taskgroup, &inherited));
		if (inherited)
			return ompd_rc_unavailable;
	}
	*state = ompt_state_wait_taskgroup;
	*wait_id = task->taskgroup + l->tg_sem;
	return ompd_rc_ok;
}

ompd_rc_t gomp_thread_state(const struct process *process, const struct thread_ref *ref, ompd_word_t *state,
			    ompd_wait_id_t *wait_id)
{
	struct gomp_thread thread;
	struct gomp_task task;
	bool is_member;

	RC_TRY(gomp_thread_read(process, ref->thread, &thread));
	RC_TRY(gomp_thread_is_member(process, ref->thread, &thread, &is_member));
	if (!is_member) {
		*state = ompt_state_idle;
		*wait_id = 0;
		return ompd_rc_ok;
	}
	/*
	 * th_release does not show a wait: a semaphore keeps its waiter bit after the waiter has
	 * left. Only the task's own waits count.
	 */
	if (!thread.task)
		return ompd_rc_unavailable;
	RC_TRY(gomp_task_read(process, thread.task, &task));
	ompd_rc_t rc = find_taskwait(process, &task, state, wait_id);

	return rc == ompd_rc_unavailable ? find_taskgroup(process, &task, state, wait_id) : rc;
}

ompd_rc_t gomp_thread_state_asleep(const struct process *process, const struct thread_ref *ref, ompd_addr_t word,
				   ompd_word_t *state)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	struct gomp_thread thread;

	if (!offset_known(l->th_release) || !offset_known(l->team_master_release))
		return ompd_rc_unavailable;
	RC_TRY(gomp_thread_read_member(process, ref->thread, &thread));
	/*
	 * In `ordered`, a thread sleeps on its own semaphore; the first thread of a team sleeps on
	 * the team's.
	 */
	ompd_addr_t ordered = thread.ts.team_id ? ref->thread + l->th_release : thread.ts.team + l->team_master_release;

	if (!thread.ts.team || word != ordered)
		return ompd_rc_unavailable;
	*state = ompt_state_wait_ordered;
	return ompd_rc_ok;
}
