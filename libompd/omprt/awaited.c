/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tasks that threads and tasks of our runtime wait for; in backend_omprt. They are among the
 * region's tasks, if the counters show that these are complete.
 */
#include "omprt/omprt.h"
#include "steps.h"

/* Return the progress of an explicit task that is not complete. */
static ompd_word_t get_progress(const struct process *process, const struct omprt_copy *task)
{
	uint64_t flags = omprt_field(task, LAYOUT_task_flags);
	ompd_addr_t address = omprt_field(task, LAYOUT_task_depend);
	struct omprt_copy node;

	if (omprt_field(task, LAYOUT_task_detach) & LAYOUT_DETACH_BLOCK_ENDED)
		return ompd_progress_detached;
	if (flags & LAYOUT_TASK_STARTED)
		return ompd_progress_begun;
	if (address && omprt_read(process, LAYOUT_depend_node, address, &node) == ompd_rc_ok &&
	    (int32_t)omprt_field(&node, LAYOUT_depend_node_n_pending) > 0)
		return ompd_progress_dependent;
	return ompd_progress_ready;
}

static ompd_rc_t add_task(const struct process *process, const struct omprt_copy *task, const struct region_ref *region,
			  struct awaited_list *list)
{
	return awaited_add(list, &(struct awaited){
					 .task = {.task = task->address,
						  .sequence = omprt_field(task, LAYOUT_task_sequence),
						  .region = *region},
					 .progress = get_progress(process, task),
				 });
}

static bool is_in_group(const struct process *process, const struct omprt_copy *task, ompd_addr_t group,
			struct steps *steps)
{
	ompd_addr_t address = omprt_field(task, LAYOUT_task_taskgroup);
	struct steps_list groups = {0};
	struct omprt_copy g;

	while (steps_along(steps, &groups, address)) {
		if (address == group)
			return true;
		if (omprt_read(process, LAYOUT_taskgroup, address, &g) != ompd_rc_ok)
			return false;
		address = omprt_field(&g, LAYOUT_taskgroup_outer);
	}
	return false;
}

/* Deferred tasks are counted. An undeferred task is a part of a deferred task or of the waiting task. */
static bool is_counted(const struct omprt_copy *task)
{
	return !omprt_field(task, LAYOUT_task_nest) && !(omprt_field(task, LAYOUT_task_flags) & LAYOUT_TASK_UNDEFERRED);
}

/* Return how many children of the task in @own are not complete, by the runtime's counter. */
static uint64_t count_children(const struct omprt_copy *own)
{
	return (uint32_t)(omprt_field(own, LAYOUT_task_n_created) - omprt_field(own, LAYOUT_task_n_completed_here) -
			  omprt_field(own, LAYOUT_task_elsewhere));
}

/* Find the children of @own, or the tasks in @group if it is not 0, among all tasks of the region. */
static ompd_rc_t find_tasks(const struct omprt_waiting *w, const struct omprt_copy *own, ompd_addr_t group,
			    const ompd_addr_t *tasks, size_t n, struct awaited_list *list)
{
	struct omprt_copy task, g;
	struct steps steps = {0};
	uint64_t expected;

	if (group) {
		RC_TRY(omprt_read(w->process, LAYOUT_taskgroup, group, &g));
		expected = omprt_field(&g, LAYOUT_taskgroup_here) + omprt_field(&g, LAYOUT_taskgroup_elsewhere);
	} else {
		expected = count_children(own);
	}
	list->is_complete = true;
	size_t n_found = 0;
	for (size_t i = 0; i < n; i++) {
		if (tasks[i] == own->address || omprt_read(w->process, LAYOUT_task, tasks[i], &task) != ompd_rc_ok ||
		    !is_counted(&task))
			continue;
		if (group ? !is_in_group(w->process, &task, group, &steps)
			  : omprt_field(&task, LAYOUT_task_parent) != own->address)
			continue;
		n_found++;
		RC_TRY(add_task(w->process, &task, &w->region, list));
	}
	list->is_complete &= n_found == expected && !steps.cut;
	return ompd_rc_ok;
}

/* Find the tasks that block the task with the node at @node, among all tasks of the region. */
static ompd_rc_t find_predecessors(const struct process *process, const struct region_ref *region, ompd_addr_t node,
				   const ompd_addr_t *tasks, size_t n, struct awaited_list *list)
{
	struct omprt_copy task, own, link, successor;
	struct steps steps = {0};
	size_t n_found = 0;

	RC_TRY(omprt_read(process, LAYOUT_depend_node, node, &own));
	list->is_complete = true;
	for (size_t i = 0; i < n; i++) {
		struct steps_list links = {0};
		struct omprt_copy before;

		if (omprt_read(process, LAYOUT_task, tasks[i], &task) != ompd_rc_ok)
			continue;
		ompd_addr_t address = omprt_field(&task, LAYOUT_task_depend);
		if (!address || address == node ||
		    omprt_read(process, LAYOUT_depend_node, address, &before) != ompd_rc_ok)
			continue;
		address = omprt_field(&before, LAYOUT_depend_node_successors);
		while (address > 1 && steps_along(&steps, &links, address)) {
			if (omprt_read(process, LAYOUT_depend_link, address, &link) != ompd_rc_ok ||
			    omprt_read(process, LAYOUT_task, omprt_field(&link, LAYOUT_depend_link_task), &successor) !=
				    ompd_rc_ok)
				break;
			if (omprt_field(&successor, LAYOUT_task_depend) == node) {
				n_found++;
				RC_TRY(add_task(process, &task, region, list));
			}
			address = omprt_field(&link, LAYOUT_depend_link_next);
		}
	}
	list->is_complete &= n_found == omprt_field(&own, LAYOUT_depend_node_n_pending) && !steps.cut;
	return ompd_rc_ok;
}

static ompd_rc_t find_in_wait(const struct omprt_waiting *w, ompd_word_t state, struct awaited_list *list)
{
	ompd_addr_t own_address = omprt_field(&w->thread, LAYOUT_thread_task), *tasks = NULL;
	struct omprt_copy own;
	size_t n = 0;

	RC_TRY(omprt_read(w->process, LAYOUT_task, own_address, &own));
	ompd_rc_t rc = omprt_region_tasks(w->process, &w->region, &w->team, &tasks, &n);
	if (rc != ompd_rc_ok)
		return rc;
	if (state == ompt_state_wait_taskgroup)
		rc = find_tasks(w, &own, w->wait_id, tasks, n, list);
	else if (w->wait_id == own_address)
		rc = find_tasks(w, &own, 0, tasks, n, list);
	else
		rc = find_predecessors(w->process, &w->region,
				       w->wait_id - omprt_offset(w->process, LAYOUT_depend_node_n_pending), tasks, n,
				       list);
	cb_free(tasks);
	return rc;
}

static ompd_rc_t find_for_thread(const struct process *process, const struct thread_ref *ref, struct awaited_list *list)
{
	struct omprt_waiting w = {.process = process};
	struct omprt_place place;
	ompd_word_t state;

	RC_TRY(omprt_thread_state(process, ref, &state, &w.wait_id));
	RC_TRY(omprt_thread_place(process, ref, &w.thread, &place));
	if (place.where != OMPRT_INSIDE || !w.wait_id)
		return ompd_rc_unavailable;
	RC_TRY(omprt_team(process, place.team, &w.team, &w.region));
	w.number = place.thread_num;
	RC_TRY(omprt_read(process, LAYOUT_member, omprt_member(&w.team, w.number), &w.member));
	switch ((int)state) {
	case ompt_state_wait_ordered:
	case ompt_state_wait_barrier_implicit_workshare:
		return omprt_holder(&w, state, list);
	case ompt_state_wait_taskwait:
	case ompt_state_wait_taskgroup:
		return find_in_wait(&w, state, list);
	default:
		return ompd_rc_unavailable;
	}
}

static ompd_rc_t find_for_task(const struct process *process, const struct task_ref *ref, struct awaited_list *list)
{
	struct omprt_copy task, team;
	struct region_ref region;
	ompd_addr_t *tasks = NULL;
	size_t n = 0;

	RC_TRY(omprt_task_of(process, ref, &task));
	ompd_addr_t node = omprt_field(&task, LAYOUT_task_depend);
	if (omprt_field(&task, LAYOUT_task_kind) != LAYOUT_TASK_EXPLICIT || !node ||
	    omprt_field(&task, LAYOUT_task_flags) & LAYOUT_TASK_STARTED) {
		list->is_complete = true;
		return ompd_rc_ok;
	}
	RC_TRY(omprt_team(process, ref->region.team, &team, &region));
	ompd_rc_t rc = omprt_region_tasks(process, &region, &team, &tasks, &n);
	if (rc == ompd_rc_ok)
		rc = find_predecessors(process, &region, node, tasks, n, list);
	cb_free(tasks);
	return rc;
}

ompd_rc_t omprt_awaited(const struct process *process, const struct subject *subject, struct awaited_list *ret)
{
	return subject->thread ? find_for_thread(process, subject->thread, ret)
			       : find_for_task(process, subject->task, ret);
}
