/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Deferred tasks of our runtime that have not started; members of backend_omprt. Ready tasks are in
 * the members' deques and in the team's queue. Tasks with unresolved dependences are in no list.
 * They are linked from the tasks that they wait for: a ready, executing or waiting task. The lists
 * may change while they are read, or be damaged. So each task is visited once, and a list ends
 * where it cannot be read.
 */
#include <string.h>

#include "callbacks.h"
#include "omprt/omprt.h"
#include "omprt/steps.h"

#define MAX_TASKS  65536	       /* limit per region */
#define MAX_RANGE  ((uint64_t)1 << 40) /* limit on the tasks that one record stands for */
#define MAX_CHAIN  4096		       /* limit on the tasks that a thread has started */
#define FIRST_ROOM 256

struct search {
	const struct process *process;
	ompd_addr_t team;
	struct region_ref region;
	struct queued_tasks *ret;
	size_t room; /* allocated elements of ret->tasks */
	/* Visited tasks in order, and a hash table of their numbers + 1 (open addressing). */
	ompd_addr_t *visited;
	uint32_t *table;
	size_t n, mask;
	struct steps steps;
};

static uint32_t *slot_of(const struct search *s, ompd_addr_t task)
{
	for (uint64_t i = (task * 0x9e3779b97f4a7c15ull) >> 32;; i++) {
		uint32_t *slot = &s->table[i & s->mask];

		if (!*slot || s->visited[*slot - 1] == task)
			return slot;
	}
}

/* Grow visited and table for one more task. The table is at most half full. */
static ompd_rc_t make_room(struct search *s)
{
	void *visited, *table;
	size_t cap = s->mask ? s->mask + 1 : FIRST_ROOM;

	if (s->mask && s->n < cap / 2)
		return ompd_rc_ok;
	RC_TRY(cb_alloc(cap * sizeof(*s->visited), &visited));
	ompd_rc_t rc = cb_alloc(2 * cap * sizeof(*s->table), &table);
	if (rc != ompd_rc_ok) {
		cb_free(visited);
		return rc;
	}
	if (s->n)
		memcpy(visited, s->visited, s->n * sizeof(*s->visited));
	cb_free(s->visited);
	cb_free(s->table);
	s->visited = visited;
	s->table = table;
	s->mask = 2 * cap - 1;
	for (uint32_t i = 0; i < s->n; i++)
		*slot_of(s, s->visited[i]) = i + 1;
	return ompd_rc_ok;
}

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

static ompd_rc_t add_queued_task(struct search *s, const struct omprt_copy *task)
{
	struct queued_tasks *q = s->ret;
	void *more;

	if (q->n == q->max)
		return ompd_rc_ok;
	if (q->n == s->room) {
		size_t room = s->room ? 2 * s->room : FIRST_ROOM;

		RC_TRY(cb_alloc(room * sizeof(*q->tasks), &more));
		if (q->n)
			memcpy(more, q->tasks, q->n * sizeof(*q->tasks));
		cb_free(q->tasks);
		q->tasks = more;
		s->room = room;
	}
	q->tasks[q->n++] = (struct task_ref){
		.task = task->address,
		.sequence = omprt_field(task, LAYOUT_task_sequence),
		.region = s->region,
	};
	return ompd_rc_ok;
}

/* Visit a task that another structure refers to. */
static ompd_rc_t visit_task(struct search *s, ompd_addr_t address)
{
	struct omprt_copy task;

	if (!address || s->steps.cut)
		return ompd_rc_ok;
	RC_TRY(make_room(s));
	uint32_t *slot = slot_of(s, address);
	if (*slot || omprt_read(s->process, LAYOUT_task, address, &task) != ompd_rc_ok)
		return ompd_rc_ok;
	if (omprt_field(&task, LAYOUT_task_kind) != LAYOUT_TASK_EXPLICIT ||
	    omprt_field(&task, LAYOUT_task_team) != s->team || !omprt_field(&task, LAYOUT_task_fn))
		return ompd_rc_ok;
	if (s->n == MAX_TASKS) {
		s->steps.cut = true;
		return ompd_rc_ok;
	}
	s->visited[s->n++] = address;
	*slot = (uint32_t)s->n;
	uint64_t flags = omprt_field(&task, LAYOUT_task_flags);
	s->ret->total += count_queued(s, address, flags);
	if (flags & (LAYOUT_TASK_STARTED | LAYOUT_TASK_UNDEFERRED))
		return ompd_rc_ok;
	return add_queued_task(s, &task);
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
	ompd_addr_t members = omprt_field(team, LAYOUT_team_members);
	struct omprt_copy member;

	for (uint64_t i = 0; i < n; i++) {
		ompd_addr_t at = members + i * omprt_of(s->process)->layout.entries[LAYOUT_member].size;

		if (omprt_read(s->process, LAYOUT_member, at, &member) != ompd_rc_ok)
			break;
		RC_TRY(visit_deque(s, &member));
	}
	RC_TRY(visit_queue(s, omprt_field(team, LAYOUT_team_queue)));
	for (uint64_t i = 0; i < n; i++) {
		ompd_addr_t at = members + i * omprt_of(s->process)->layout.entries[LAYOUT_member].size;

		if (omprt_read(s->process, LAYOUT_member, at, &member) != ompd_rc_ok)
			break;
		RC_TRY(visit_begun(s, omprt_field(&member, LAYOUT_member_thread)));
	}
	/* The loop extends the list: it visits further tasks. */
	for (size_t i = 0; i < s->n && !s->steps.cut; i++)
		RC_TRY(visit_successors(s, s->visited[i]));
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

ompd_rc_t omprt_region_tasks(const struct process *process, const struct region_ref *region,
			     const struct omprt_copy *team, ompd_addr_t **tasks, size_t *n)
{
	struct queued_tasks none = {0};
	struct search s = {.process = process, .team = region->team, .region = *region, .ret = &none};
	ompd_rc_t rc = visit_detached(&s, team);

	if (rc == ompd_rc_ok)
		rc = visit_all(&s, team);
	cb_free(s.table);
	cb_free(none.tasks);
	if (rc != ompd_rc_ok) {
		cb_free(s.visited);
		return rc;
	}
	*tasks = s.visited;
	*n = s.n;
	return ompd_rc_ok;
}

ompd_rc_t omprt_region_queued(const struct process *process, const struct region_ref *region, struct queued_tasks *ret)
{
	struct search s = {.process = process, .team = region->team, .ret = ret};
	struct omprt_copy team;

	RC_TRY(omprt_team(process, region->team, &team, &s.region));
	if (s.region.sequence != region->sequence)
		return ompd_rc_stale_handle;
	ompd_rc_t rc = visit_all(&s, &team);
	cb_free(s.visited);
	cb_free(s.table);
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
