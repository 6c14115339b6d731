/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Deferred tasks of our runtime that have not started; members of backend_omprt. Ready tasks are in
 * the members' deques and in the team's queue. Tasks with unresolved dependences are in no list.
 * They are linked from the tasks that they wait for: a ready, executing or waiting task. The lists
 * may change while they are read, or be damaged. So each task is visited once, and a list ends
 * where it cannot be read.
 */
#include "omprt/omprt.h"
#include "records.h"
#include "steps.h"

#define MAX_TASKS 65536		      /* limit per region */
#define MAX_RANGE ((uint64_t)1 << 40) /* limit on the tasks that one record stands for */
#define MAX_CHAIN 4096		      /* limit on the tasks that a thread has started */

struct search {
	const struct process *process;
	ompd_addr_t team;
	struct region_ref region;
	struct queued_tasks *ret;
	struct records visited; /* the addresses of tasks */
	struct steps steps;
};

/*
 * Return how many tasks of a record have not started. It may stand for several tasks of a taskloop;
 * a started record executes one of them.
 */
static uint64_t count_queued(const struct search *s, ompd_addr_t address, uint64_t flags)
{
	bool has_begun = flags & (LAYOUT_TASK_STARTED | LAYOUT_TASK_UNDEFERRED);
	uint32_t size = omprt_of(s->process)->layout.entries[LAYOUT_task].size;
	struct omprt_copy range;

	if (!(flags & LAYOUT_TASK_RANGE) ||
	    omprt_read(s->process, LAYOUT_task_range, layout_task_range(address, size), &range) != ompd_rc_ok)
		return !has_begun;
	uint64_t left = omprt_field(&range, LAYOUT_task_range_end) - omprt_field(&range, LAYOUT_task_range_next);

	/* A number above the limit was read while it changed. */
	return left && left <= MAX_RANGE ? left - has_begun : !has_begun;
}

/* Return the visited tasks in order. */
static ompd_addr_t *get_visited(const struct search *s)
{
	return (ompd_addr_t *)(void *)s->visited.all;
}

/* Visit a task that another structure refers to. */
static ompd_rc_t visit_task(struct search *s, ompd_addr_t address)
{
	struct omprt_copy task;

	if (!address || s->steps.cut)
		return ompd_rc_ok;
	if (records_find(&s->visited, &address) || omprt_read(s->process, LAYOUT_task, address, &task) != ompd_rc_ok)
		return ompd_rc_ok;
	if (omprt_field(&task, LAYOUT_task_kind) != LAYOUT_TASK_EXPLICIT ||
	    omprt_field(&task, LAYOUT_task_team) != s->team || !omprt_field(&task, LAYOUT_task_fn))
		return ompd_rc_ok;
	if (s->visited.n == MAX_TASKS) {
		s->steps.cut = true;
		return ompd_rc_ok;
	}
	RC_TRY(records_add(&s->visited, &address));
	uint64_t flags = omprt_field(&task, LAYOUT_task_flags);
	s->ret->total += count_queued(s, address, flags);
	if (flags & (LAYOUT_TASK_STARTED | LAYOUT_TASK_UNDEFERRED))
		return ompd_rc_ok;
	return queued_add(s->ret, &(struct task_ref){
					  .task = address,
					  .sequence = omprt_field(&task, LAYOUT_task_sequence),
					  .region = s->region,
				  });
}

static ompd_rc_t visit_deque(struct search *s, const struct omprt_copy *member)
{
	uint64_t top = omprt_field(member, LAYOUT_member_deque_top);
	uint64_t n = omprt_field(member, LAYOUT_member_deque_bottom) - top;
	ompd_addr_t ring = omprt_field(member, LAYOUT_member_deque_ring), address;
	struct omprt_copy copy;

	if (!ring || !n || n > INT64_MAX || omprt_read(s->process, LAYOUT_deque_ring, ring, &copy) != ompd_rc_ok)
		return ompd_rc_ok;
	uint64_t mask = omprt_field(&copy, LAYOUT_deque_ring_mask);
	ompd_addr_t slots = ring + omprt_of(s->process)->layout.entries[LAYOUT_deque_ring].size;
	s->steps.cut |= n > MAX_TASKS;
	for (uint64_t i = 0; i < n && i <= mask && steps_go_on(&s->steps); i++) {
		if (cb_read(s->process->context, slots + ((top + i) & mask) * sizeof(address), sizeof(address),
			    &address) != ompd_rc_ok)
			return ompd_rc_ok;
		RC_TRY(visit_task(s, address));
	}
	return ompd_rc_ok;
}

static ompd_rc_t visit_queue(struct search *s, ompd_addr_t bucket)
{
	struct steps_list buckets = {0};
	struct omprt_copy copy, task;

	while (steps_along(&s->steps, &buckets, bucket)) {
		struct steps_list tasks = {0};

		if (omprt_read(s->process, LAYOUT_task_bucket, bucket, &copy) != ompd_rc_ok)
			return ompd_rc_ok;
		ompd_addr_t address = omprt_field(&copy, LAYOUT_task_bucket_first);
		while (steps_along(&s->steps, &tasks, address)) {
			RC_TRY(visit_task(s, address));
			if (omprt_read(s->process, LAYOUT_task, address, &task) != ompd_rc_ok)
				break;
			address = omprt_field(&task, LAYOUT_task_next);
		}
		bucket = omprt_field(&copy, LAYOUT_task_bucket_next);
	}
	return ompd_rc_ok;
}

/* Visit the tasks that the thread has started, in this region and in inner regions. */
static ompd_rc_t visit_begun(struct search *s, ompd_addr_t address)
{
	struct steps_list chain = {0};
	struct omprt_copy thread, task;

	if (!address || omprt_read(s->process, LAYOUT_thread, address, &thread) != ompd_rc_ok)
		return ompd_rc_ok;
	address = omprt_field(&thread, LAYOUT_thread_task);
	for (unsigned i = 0; i < MAX_CHAIN && steps_along(&s->steps, &chain, address); i++) {
		if (omprt_read(s->process, LAYOUT_task, address, &task) != ompd_rc_ok)
			break;
		RC_TRY(visit_task(s, address));
		address = omprt_field(&task, LAYOUT_task_scheduling);
		if (!address)
			address = omprt_field(&task, LAYOUT_task_parent);
	}
	return ompd_rc_ok;
}

/* Visit the tasks that wait for a task. */
static ompd_rc_t visit_successors(struct search *s, ompd_addr_t address)
{
	struct steps_list links = {0};
	struct omprt_copy task, node, link;

	if (omprt_read(s->process, LAYOUT_task, address, &task) != ompd_rc_ok)
		return ompd_rc_ok;
	address = omprt_field(&task, LAYOUT_task_depend);
	if (!address || omprt_read(s->process, LAYOUT_depend_node, address, &node) != ompd_rc_ok)
		return ompd_rc_ok;
	address = omprt_field(&node, LAYOUT_depend_node_successors);
	while (address > 1 && steps_along(&s->steps, &links, address)) {
		if (omprt_read(s->process, LAYOUT_depend_link, address, &link) != ompd_rc_ok)
			return ompd_rc_ok;
		RC_TRY(visit_task(s, omprt_field(&link, LAYOUT_depend_link_task)));
		address = omprt_field(&link, LAYOUT_depend_link_next);
	}
	return ompd_rc_ok;
}

static ompd_rc_t visit_all(struct search *s, const struct omprt_copy *team)
{
	uint64_t n = omprt_field(team, LAYOUT_team_n_threads);
	struct omprt_copy member;

	for (uint64_t i = 0; i < n; i++) {
		if (omprt_read(s->process, LAYOUT_member, omprt_member(team, i), &member) != ompd_rc_ok)
			break;
		RC_TRY(visit_deque(s, &member));
	}
	RC_TRY(visit_queue(s, omprt_field(team, LAYOUT_team_queue)));
	for (uint64_t i = 0; i < n; i++) {
		if (omprt_read(s->process, LAYOUT_member, omprt_member(team, i), &member) != ompd_rc_ok)
			break;
		RC_TRY(visit_begun(s, omprt_field(&member, LAYOUT_member_thread)));
	}
	/* The loop extends the list: it visits further tasks. */
	for (size_t i = 0; i < s->visited.n && !s->steps.cut; i++)
		RC_TRY(visit_successors(s, get_visited(s)[i]));
	return s->steps.cut ? ompd_rc_incomplete : ompd_rc_ok;
}

/* A task whose block has ended, but whose event is not fulfilled, is in no list. It is still in its slot. */
static ompd_rc_t visit_detached(struct search *s, const struct omprt_copy *team)
{
	uint64_t n = omprt_field(team, LAYOUT_team_n_threads);
	struct omprt_copy member, slab, task;

	for (uint64_t i = 0; i < n && steps_go_on(&s->steps); i++) {
		if (omprt_read(s->process, LAYOUT_member, omprt_member(team, i), &member) != ompd_rc_ok)
			break;
		ompd_addr_t address = omprt_field(&member, LAYOUT_member_slabs);
		struct steps_list slabs = {0};

		while (steps_along(&s->steps, &slabs, address) &&
		       omprt_read(s->process, LAYOUT_task_slab, address, &slab) == ompd_rc_ok) {
			for (unsigned k = 0; k < LAYOUT_SLAB_SLOTS && steps_go_on(&s->steps); k++) {
				if (omprt_read(s->process, LAYOUT_task, layout_slot(address, k), &task) != ompd_rc_ok)
					break;
				if (omprt_field(&task, LAYOUT_task_detach) == LAYOUT_DETACH_BLOCK_ENDED)
					RC_TRY(visit_task(s, task.address));
			}
			if (s->steps.cut)
				return ompd_rc_ok;
			address = omprt_field(&slab, LAYOUT_task_slab_next);
		}
	}
	return ompd_rc_ok;
}

static struct search make_search(const struct process *process, const struct region_ref *region,
				 struct queued_tasks *ret)
{
	return (struct search){
		.process = process,
		.team = region->team,
		.region = *region,
		.ret = ret,
		.visited = {.size = sizeof(ompd_addr_t), .key_size = sizeof(ompd_addr_t)},
	};
}

ompd_rc_t omprt_region_tasks(const struct process *process, const struct region_ref *region,
			     const struct omprt_copy *team, ompd_addr_t **tasks, size_t *n)
{
	struct queued_tasks none = {0};
	struct search s = make_search(process, region, &none);
	ompd_rc_t rc = visit_detached(&s, team);

	if (rc == ompd_rc_ok)
		rc = visit_all(&s, team);
	if (rc == ompd_rc_ok) {
		*tasks = get_visited(&s);
		*n = s.visited.n;
		s.visited.all = NULL;
	}
	records_deinit(&s.visited);
	return rc;
}

ompd_rc_t omprt_region_queued(const struct process *process, const struct region_ref *region, struct queued_tasks *ret)
{
	struct search s = make_search(process, region, ret);
	struct omprt_copy team;

	RC_TRY(omprt_region(process, region, &team));
	ompd_rc_t rc = visit_all(&s, &team);

	records_deinit(&s.visited);
	return rc;
}

ompd_rc_t omprt_task_predecessors(const struct process *process, const struct task_ref *task, uint32_t *ret)
{
	struct omprt_copy copy, node;

	RC_TRY(omprt_task_of(process, task, &copy));
	ompd_addr_t address = omprt_field(&copy, LAYOUT_task_depend);

	if (!address) {
		*ret = 0;
		return ompd_rc_ok;
	}
	RC_TRY(omprt_read(process, LAYOUT_depend_node, address, &node));
	/* Negative while the predecessors are being counted. */
	int32_t pending = (int32_t)omprt_field(&node, LAYOUT_depend_node_n_pending);
	*ret = pending > 0 ? (uint32_t)pending : 0;
	return ompd_rc_ok;
}
