/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Threads and tasks that threads and tasks of our runtime wait for; in backend_omprt. For an
 * ordered turn or copyprivate data, it is another member of the team, and the member's struct shows
 * it. For tasks, it is the region's tasks, if the counters show that they are complete.
 */
#include <string.h>

#include "awaited_list.h"
#include "callbacks.h"
#include "omprt/omprt.h"
#include "omprt/steps.h"
#include "ompd-more.h"

/* A waiting thread. */
struct waiting {
	const struct process *process;
	struct omprt_copy thread, team, member;
	struct region_ref region;
	uint64_t number; /* thread number in the team */
	ompd_addr_t wait_id;
};

static ompd_addr_t offset_of(const struct process *process, enum layout_entry_number field)
{
	return omprt_of(process)->layout.entries[field].offset;
}

static ompd_rc_t add_member(const struct waiting *w, const struct omprt_copy *member, struct awaited_list *list)
{
	ompd_addr_t address = omprt_field(member, LAYOUT_member_thread);

	return awaited_list_add(list,
				&(struct awaited){.has_thread = true, .thread = omprt_thread_at(w->process, address)});
}

/* Threads */

/* Return whether @member is in the same construct of its team as the waiting thread. */
static bool is_beside(const struct waiting *w, const struct omprt_copy *member)
{
	return omprt_field(member, LAYOUT_member_thread) &&
	       omprt_field(member, LAYOUT_member_share_ws) == omprt_field(&w->member, LAYOUT_member_share_ws) &&
	       omprt_field(member, LAYOUT_member_share_number) == omprt_field(&w->member, LAYOUT_member_share_number);
}

/* Return whether @member itself waits for the data of the single construct at @ws. */
static ompd_rc_t waits_for_data(const struct waiting *w, const struct omprt_copy *member, ompd_addr_t ws, bool *ret)
{
	struct omprt_copy thread;

	RC_TRY(omprt_thread(w->process, omprt_field(member, LAYOUT_member_thread), &thread));
	*ret = omprt_field(&thread, LAYOUT_thread_state) == ompt_state_wait_barrier_implicit_workshare &&
	       omprt_field(&thread, LAYOUT_thread_wait_id) == ws + offset_of(w->process, LAYOUT_workshare_tag);
	return ompd_rc_ok;
}

enum sought { TURN, FLAG, FLAG_OF_THREAD, DATA };

/* Return whether @member, number @i of the team, is the awaited thread. */
static ompd_rc_t is_awaited(const struct waiting *w, const struct omprt_copy *member, uint64_t i, enum sought what,
			    uint64_t value, bool *ret)
{
	uint64_t begin = omprt_field(member, LAYOUT_member_chunk_begin);
	bool waits;

	*ret = false;
	switch (what) {
	case TURN:
		*ret = is_beside(w, member) && omprt_field(member, LAYOUT_member_in_order) == LAYOUT_LOOP_ORDERED &&
		       begin == value && begin != omprt_field(member, LAYOUT_member_chunk_end);
		break;
	case FLAG:
		*ret = is_beside(w, member) && omprt_field(member, LAYOUT_member_in_order) == LAYOUT_LOOP_DOACROSS &&
		       omprt_field(member, LAYOUT_member_flag) == value;
		break;
	case FLAG_OF_THREAD:
		*ret = i == value && omprt_field(member, LAYOUT_member_thread);
		break;
	case DATA:
		if (!is_beside(w, member))
			break;
		RC_TRY(waits_for_data(w, member, value, &waits));
		*ret = !waits;
		break;
	}
	return ompd_rc_ok;
}

/* Find the awaited member, if it is the only match. */
static ompd_rc_t find_member(const struct waiting *w, enum sought what, uint64_t value, struct awaited_list *list)
{
	uint64_t n = omprt_field(&w->team, LAYOUT_team_n_threads);
	struct omprt_copy member, found;
	unsigned n_found = 0;
	bool is_one;

	for (uint64_t i = 0; i < n && i < OMPRT_MAX_THREADS; i++) {
		RC_TRY(omprt_read(w->process, LAYOUT_member, omprt_member(&w->team, i), &member));
		if (i == w->number)
			continue;
		RC_TRY(is_awaited(w, &member, i, what, value, &is_one));
		if (!is_one)
			continue;
		n_found++;
		found = member;
	}
	list->is_complete = n_found == 1;
	return n_found == 1 ? add_member(w, &found, list) : ompd_rc_ok;
}

/* Find the awaited thread of an ordered region, of either kind, or of copyprivate. */
static ompd_rc_t find_thread(const struct waiting *w, ompd_word_t state, struct awaited_list *list)
{
	ompd_addr_t ws = omprt_field(&w->member, LAYOUT_member_share_ws);
	struct omprt_copy shared, doacross;

	if (!ws)
		return ompd_rc_unavailable;
	RC_TRY(omprt_read(w->process, LAYOUT_workshare, ws, &shared));
	if (state == ompt_state_wait_barrier_implicit_workshare) {
		if (w->wait_id != ws + offset_of(w->process, LAYOUT_workshare_tag))
			return ompd_rc_unavailable;
		if (omprt_field(&shared, LAYOUT_workshare_tag) ==
		    2 * omprt_field(&w->member, LAYOUT_member_share_number)) {
			list->is_complete = true; /* the data is ready */
			return ompd_rc_ok;
		}
		return find_member(w, DATA, ws, list);
	}
	if (w->wait_id == ws + offset_of(w->process, LAYOUT_workshare_turn))
		return find_member(w, TURN, omprt_field(&shared, LAYOUT_workshare_turn), list);
	ompd_addr_t address = omprt_field(&shared, LAYOUT_workshare_doacross);
	if (!address || omprt_field(&w->member, LAYOUT_member_in_order) != LAYOUT_LOOP_DOACROSS)
		return ompd_rc_unavailable;
	RC_TRY(omprt_read(w->process, LAYOUT_doacross, address, &doacross));
	ompd_addr_t flags = omprt_field(&doacross, LAYOUT_doacross_flags);
	uint64_t size = omprt_of(w->process)->layout.entries[LAYOUT_doacross_flag].size;
	if (!size || w->wait_id < flags || (w->wait_id - flags) % size ||
	    (w->wait_id - flags) / size >= omprt_field(&doacross, LAYOUT_doacross_n_flags))
		return ompd_rc_unavailable;
	/* Static schedules have a flag for each thread. */
	if (omprt_field(&shared, LAYOUT_workshare_kind) <= LAYOUT_LOOP_STATIC_CHUNKS)
		return find_member(w, FLAG_OF_THREAD, (w->wait_id - flags) / size, list);
	return find_member(w, FLAG, w->wait_id, list);
}

/* Tasks */

/* Return the progress of an explicit task that is not complete. */
static ompd_word_t progress_of(const struct process *process, const struct omprt_copy *task)
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
	return awaited_list_add(list, &(struct awaited){
					      .task = {.task = task->address,
						       .sequence = omprt_field(task, LAYOUT_task_sequence),
						       .region = *region},
					      .progress = progress_of(process, task),
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
static uint64_t n_children(const struct omprt_copy *own)
{
	return (uint32_t)(omprt_field(own, LAYOUT_task_n_created) - omprt_field(own, LAYOUT_task_n_completed_here) -
			  omprt_field(own, LAYOUT_task_elsewhere));
}

/* Find the children of @own, or the tasks in @group if it is not 0, among all tasks of the region. */
static ompd_rc_t find_tasks(const struct waiting *w, const struct omprt_copy *own, ompd_addr_t group,
			    const ompd_addr_t *tasks, size_t n, struct awaited_list *list)
{
	struct omprt_copy task, g;
	struct steps steps = {0};
	uint64_t expected;

	if (group) {
		RC_TRY(omprt_read(w->process, LAYOUT_taskgroup, group, &g));
		expected = omprt_field(&g, LAYOUT_taskgroup_here) + omprt_field(&g, LAYOUT_taskgroup_elsewhere);
	} else {
		expected = n_children(own);
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

static ompd_rc_t find_for_thread(const struct waiting *w, ompd_word_t state, struct awaited_list *list)
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
				       w->wait_id - offset_of(w->process, LAYOUT_depend_node_n_pending), tasks, n,
				       list);
	cb_free(tasks);
	return rc;
}

static ompd_rc_t awaited_by_thread(const struct process *process, const struct thread_ref *ref,
				   struct awaited_list *list)
{
	struct waiting w = {.process = process};
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
		return find_thread(&w, state, list);
	case ompt_state_wait_taskwait:
	case ompt_state_wait_taskgroup:
		return find_for_thread(&w, state, list);
	default:
		return ompd_rc_unavailable;
	}
}

static ompd_rc_t awaited_by_task(const struct process *process, const struct task_ref *ref, struct awaited_list *list)
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

ompd_rc_t omprt_awaited(const struct process *process, const struct thread_ref *thread, const struct task_ref *task,
			struct awaited_list *ret)
{
	return thread ? awaited_by_thread(process, thread, ret) : awaited_by_task(process, task, ret);
}
