/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks of stock libgomp: current tasks, parents, functions and waits; in backend_gomp. */
#include <string.h>

#include "callbacks.h"
#include "gomp/gomp.h"

ompd_rc_t gomp_task_read(const struct process *process, ompd_addr_t address, struct gomp_task *ret)
{
	const struct gomp *g = gomp_of(process);
	const struct gomp_layout *l = &g->layout;
	uint8_t bytes[GOMP_MAX_SPAN];
	struct gomp_task task = {0};

	if (!offset_known(l->task_kind) || !offset_known(l->task_parent))
		return ompd_rc_unavailable;
	RC_TRY(cb_read(process->context, address, g->task_span, bytes));
	memcpy(&task.parent, bytes + l->task_parent, sizeof(task.parent));
	memcpy(&task.kind, bytes + l->task_kind, sizeof(task.kind));
	if (offset_known(l->task_taskgroup))
		memcpy(&task.taskgroup, bytes + l->task_taskgroup, sizeof(task.taskgroup));
	if (offset_known(l->task_taskwait))
		memcpy(&task.taskwait, bytes + l->task_taskwait, sizeof(task.taskwait));
	if (offset_known(l->task_fn))
		memcpy(&task.fn, bytes + l->task_fn, sizeof(task.fn));
	if (offset_known(l->task_final))
		task.final = bytes[l->task_final] != 0;
	if (task.kind >= GOMP_TASK_END)
		return ompd_rc_stale_handle;
	*ret = task;
	return ompd_rc_ok;
}

ompd_rc_t gomp_thread_task(const struct process *process, const struct thread_ref *ref, struct task_ref *ret)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	struct gomp_thread thread;
	struct task_ref task = {0};

	RC_TRY(gomp_thread_read_member(process, ref->thread, &thread));
	if (!thread.task && thread.ts.level) /* the thread is joining or leaving the team */
		return ompd_rc_unavailable;
	gomp_region_of(&thread.ts, ref->thread, &thread, &task.region);
	task.task = thread.task;
	task.state = ref->thread + l->th_ts;
	*ret = task;
	return ompd_rc_ok;
}

/* Thread @number's implicit task is an element of the team's array. */
ompd_rc_t gomp_region_task(const struct process *process, const struct region_ref *region, uint32_t number,
			   struct task_ref *ret)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	struct task_ref ref = {.region = *region};
	struct gomp_team team;
	struct gomp_task task;

	if (!region->level) {
		struct thread_ref root;

		RC_TRY(gomp_region_thread(process, region, number, &root));
		/*
		 * Outside all regions, the root executes the initial task or a task below it.
		 * Inside a region, the initial task generated the outermost implicit task.
		 */
		RC_TRY(gomp_thread_task(process, &root, &ref));
		for (unsigned depth = 0; depth < GOMP_MAX_DEPTH; depth++) {
			bool initial = !ref.task;

			if (!initial && !ref.region.level)
				RC_TRY(gomp_task_is_implicit(process, &ref, &initial));
			if (initial) {
				*ret = ref;
				return ompd_rc_ok;
			}
			RC_TRY(gomp_task_generating(process, &ref, &ref));
		}
		return ompd_rc_error;
	}
	RC_TRY(gomp_region_team(process, region, &team));
	if (number >= team.nthreads)
		return ompd_rc_bad_input;
	if (!offset_known(l->team_implicit_task) || !offset_known(l->task_size))
		return ompd_rc_unavailable;
	ref.task = region->team + l->team_implicit_task + (uint64_t)number * l->task_size;
	RC_TRY(gomp_task_read(process, ref.task, &task));
	if (task.kind != GOMP_TASK_IMPLICIT)
		return ompd_rc_stale_handle;
	*ret = ref;
	return ompd_rc_ok;
}

/*
 * Return the team state that thread @record has for the region of @team on @level. The thread may
 * be in a nested region.
 */
static ompd_rc_t state_in_region(const struct process *process, ompd_addr_t record, const struct region_ref *region,
				 ompd_addr_t *ret)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	struct gomp_thread thread;
	ompd_addr_t state = record + l->th_ts;

	RC_TRY(gomp_thread_read(process, record, &thread));
	struct gomp_ts ts = thread.ts;

	while (ts.level > region->level) {
		struct gomp_team team;

		RC_TRY(gomp_team_read(process, ts.team, &team));
		if (!team.has_prev_ts || team.prev_ts.level >= ts.level)
			return ompd_rc_unavailable;
		state = ts.team + l->team_prev_ts;
		if (ts.level - region->level > GOMP_MAX_DEPTH)
			return ompd_rc_unavailable;
		ts = team.prev_ts;
	}
	if (ts.level != region->level || (ts.level && ts.team != region->team))
		return ompd_rc_unavailable;
	*ret = state;
	return ompd_rc_ok;
}

ompd_rc_t gomp_task_state(const struct process *process, const struct task_ref *task, ompd_addr_t *ret)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	uint64_t distance = 0;
	struct thread_ref thread;

	if (task->state) {
		*ret = task->state;
		return ompd_rc_ok;
	}
	/* The thread number is the task's index in the team's array. */
	if (task->region.level) {
		if (!offset_known(l->team_implicit_task) || !offset_known(l->task_size))
			return ompd_rc_unavailable;
		distance = task->task - task->region.team - l->team_implicit_task;
		if (distance % l->task_size || distance / l->task_size >= GOMP_MAX_THREADS)
			return ompd_rc_unavailable;
		distance /= l->task_size;
	}
	ompd_rc_t rc = gomp_region_thread(process, &task->region, (uint32_t)distance, &thread);

	if (rc != ompd_rc_ok)
		return rc == ompd_rc_bad_input ? ompd_rc_unavailable : rc;
	return state_in_region(process, thread.thread, &task->region, ret);
}

ompd_rc_t gomp_task_is_implicit(const struct process *process, const struct task_ref *task, bool *ret)
{
	struct gomp_task copy;

	if (!task->task) { /* an initial task without a record */
		*ret = true;
		return ompd_rc_ok;
	}
	RC_TRY(gomp_task_read(process, task->task, &copy));
	*ret = copy.kind == GOMP_TASK_IMPLICIT;
	return ompd_rc_ok;
}

/*
 * The parent of an implicit task is the task that the team's primary thread executed in the
 * enclosing region.
 */
static ompd_rc_t implicit_parent(const struct process *process, const struct task_ref *task,
				 const struct gomp_task *copy, struct task_ref *ret)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	struct task_ref parent = {0};

	RC_TRY(gomp_region_enclosing(process, &task->region, &parent.region));
	if (!copy->parent && parent.region.level)
		return ompd_rc_unavailable;
	parent.task = copy->parent;
	parent.state = task->region.team + l->team_prev_ts;
	*ret = parent;
	return ompd_rc_ok;
}

ompd_rc_t gomp_task_generating(const struct process *process, const struct task_ref *task, struct task_ref *ret)
{
	struct gomp_task copy;
	struct task_ref parent = *task;

	RC_TRY(gomp_region_check(process, &task->region));
	if (!task->task)
		return ompd_rc_unavailable;
	RC_TRY(gomp_task_read(process, task->task, &copy));
	if (copy.kind == GOMP_TASK_IMPLICIT)
		return task->region.level ? implicit_parent(process, task, &copy, ret) : ompd_rc_unavailable;
	/*
	 * libgomp clears the link when the parent ends. The parent of an undeferred task still
	 * exists: it is below the task on the same stack. On level 0 it may be the initial task
	 * without a record.
	 */
	if (!copy.parent && (copy.kind != GOMP_TASK_UNDEFERRED || task->region.level))
		return ompd_rc_unavailable;
	parent.task = copy.parent;
	if (copy.kind != GOMP_TASK_UNDEFERRED)
		parent.state = 0; /* another thread may execute the parent */
	*ret = parent;
	return ompd_rc_ok;
}

ompd_rc_t gomp_task_scheduling(const struct process *process, const struct task_ref *task, struct task_ref *ret)
{
	struct gomp_task copy;

	RC_TRY(gomp_region_check(process, &task->region));
	if (!task->task)
		return ompd_rc_unavailable;
	RC_TRY(gomp_task_read(process, task->task, &copy));
	/* Only the thread's stack shows which task it suspended for a deferred task. */
	if (copy.kind != GOMP_TASK_UNDEFERRED)
		return ompd_rc_unavailable;
	return gomp_task_generating(process, task, ret);
}

ompd_rc_t gomp_task_function(const struct process *process, const struct task_ref *task, ompd_addr_t *ret)
{
	struct gomp_task copy;

	RC_TRY(gomp_region_check(process, &task->region));
	if (!task->task || !offset_known(gomp_of(process)->layout.task_fn))
		return ompd_rc_unavailable;
	RC_TRY(gomp_task_read(process, task->task, &copy));
	/* Only deferred tasks have a function here, except target tasks. */
	if (copy.kind == GOMP_TASK_IMPLICIT || copy.kind == GOMP_TASK_UNDEFERRED || !copy.fn)
		return ompd_rc_unavailable;
	*ret = copy.fn;
	return ompd_rc_ok;
}

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
		RC_TRY(cb_read(process->context, open + l->tg_prev, sizeof(open), &open));
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

ompd_rc_t gomp_task_wait(const struct process *process, ompd_addr_t address, ompd_word_t *state,
			 ompd_wait_id_t *wait_id)
{
	struct gomp_task task;

	RC_TRY(gomp_task_read(process, address, &task));
	ompd_rc_t rc = find_taskwait(process, &task, state, wait_id);

	return rc == ompd_rc_unavailable ? find_taskgroup(process, &task, state, wait_id) : rc;
}
