/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks of stock libgomp: current tasks, parents and functions; members of backend_gomp. */
#include "gomp/gomp.h"

ompd_rc_t gomp_thread_task(const struct process *process, const struct thread_ref *ref, struct task_ref *ret)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	struct gomp_thread thread;
	struct task_ref task = {0};

	RC_TRY(gomp_thread_read_member(process, ref->thread, &thread));
	if (!thread.task && thread.ts.level) /* the thread is joining or leaving the team */
		return ompd_rc_unavailable;
	gomp_region_of(process, &thread.ts, ref->thread, ref->thread, &thread, &task.region);
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
			/* A target region has an initial task of its own. */
			if (initial && ref.region.team == region->team) {
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
static ompd_rc_t find_state(const struct process *process, ompd_addr_t record, const struct region_ref *region,
			    ompd_addr_t *ret)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	struct gomp_thread thread;

	if (gomp_record_of_region(process, record, region, &record) != ompd_rc_ok)
		return ompd_rc_unavailable;
	/* A saved record is known only in part. */
	*ret = gomp_saved_read(process, record, &thread) ? 0 : record + l->th_ts;
	RC_TRY(gomp_thread_read(process, record, &thread));
	for (struct gomp_ts *ts = &thread.ts; ts->level > region->level;) {
		*ret = ts->team + l->team_prev_ts;
		RC_TRY(gomp_ts_leave(process, ts));
	}
	if (!*ret)
		return ompd_rc_unavailable;
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
	return find_state(process, thread.thread, &task->region, ret);
}

ompd_rc_t gomp_task_is_implicit(const struct process *process, const struct task_ref *task, bool *ret)
{
	struct gomp_task copy;

	RC_TRY(gomp_region_check(process, &task->region));
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
static ompd_rc_t find_implicit_parent(const struct process *process, const struct task_ref *task,
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

/* The parent of a target region's initial task is the task that the thread executed before. */
static ompd_rc_t find_target_parent(const struct process *process, const struct task_ref *task, struct task_ref *ret)
{
	ompd_addr_t saved = task->region.team;
	struct task_ref parent = {0};
	struct gomp_thread copy;

	if (!saved)
		return ompd_rc_unavailable;
	RC_TRY(gomp_region_enclosing(process, &task->region, &parent.region));
	RC_TRY(gomp_thread_read(process, saved, &copy));
	if (!copy.task && parent.region.level)
		return ompd_rc_unavailable;
	parent.task = copy.task;
	*ret = parent;
	return ompd_rc_ok;
}

ompd_rc_t gomp_task_generating(const struct process *process, const struct task_ref *task, struct task_ref *ret)
{
	struct gomp_task copy;
	struct task_ref parent = *task;

	RC_TRY(gomp_region_check(process, &task->region));
	if (!task->task)
		return find_target_parent(process, task, ret);
	RC_TRY(gomp_task_read(process, task->task, &copy));
	if (copy.kind == GOMP_TASK_IMPLICIT)
		return task->region.level ? find_implicit_parent(process, task, &copy, ret)
					  : find_target_parent(process, task, ret);
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

/* gomp_create_target_task() stores no function. */
ompd_rc_t gomp_task_is_target(const struct process *process, const struct task_ref *task, bool *ret)
{
	struct gomp_task copy;

	if (!offset_known(gomp_of(process)->layout.task_fn))
		return ompd_rc_unsupported;
	*ret = false;
	if (!task->task)
		return ompd_rc_ok;
	RC_TRY(gomp_task_read(process, task->task, &copy));
	*ret = copy.kind == GOMP_TASK_WAITING && !copy.fn;
	return ompd_rc_ok;
}

ompd_rc_t gomp_task_frame(const struct process *process, const struct task_ref *task, ompd_frame_info_t *exit_frame,
			  ompd_frame_info_t *enter_frame)
{
	(void)exit_frame, (void)enter_frame;
	RC_TRY(gomp_region_check(process, &task->region));
	return ompd_rc_unavailable; /* libgomp records no frames */
}
