/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Deferred tasks of stock libomp that have not started; members of backend_libomp. Ready tasks are
 * in the deques of the team's threads and of each priority. A task that waits for others is linked
 * only from them, and some of these cannot be found. So if a task has children with dependences,
 * the list may be incomplete. It may also be incomplete if libomp has task graphs: a replay keeps
 * its waiting tasks in the graph only.
 */
#include "libomp/libomp.h"

#define MAX_TASKS	65536 /* limit per region */
#define MAX_PRIORITIES	1024
#define MAX_GENERATIONS 64
#define TASK_TEAMS	2
#define NODE_TASK	8 /* in kmp_depnode_t: the task, 0 once it is done */

struct search {
	const struct process *process;
	const struct libomp_layout *l;
	const struct libomp_team *team;
	const struct region_ref *region;
	struct queued_tasks *ret;
	bool cut;
};

/* Add the tasks of a deque: a ring of pointers with @n tasks from @head on. */
static ompd_rc_t add_deque(struct search *s, ompd_addr_t data)
{
	const struct libomp *libomp = libomp_of(s->process);
	struct libomp_task task;
	ompd_addr_t ring, address;
	int32_t size, head, n;

	RC_TRY(PROCESS_READ(s->process, data + s->l->deque, &ring));
	RC_TRY(PROCESS_READ(s->process, data + s->l->deque_size, &size));
	RC_TRY(PROCESS_READ(s->process, data + s->l->deque_head, &head));
	RC_TRY(PROCESS_READ(s->process, data + s->l->deque_ntasks, &n));
	if (!ring || n <= 0)
		return ompd_rc_ok;
	if (size <= 0 || size & (size - 1) || n > size)
		return ompd_rc_error;
	for (int32_t i = 0; i < n && !s->cut; i++) {
		uint32_t at = ((uint32_t)head + (uint32_t)i) & ((uint32_t)size - 1);

		s->cut = s->ret->total >= MAX_TASKS;
		RC_TRY(PROCESS_READ(s->process, ring + (uint64_t)at * sizeof(address), &address));
		/* A task that the target removes meanwhile is no longer a task. */
		if (!address || libomp_task_read(s->process, address, &task) != ompd_rc_ok ||
		    !(task.flags & libomp->flag_tasktype) || task.team != s->team->address)
			continue;
		s->ret->total++;
		RC_TRY(queued_add(s->ret, &(struct task_ref){.task = address, .region = *s->region}));
	}
	return ompd_rc_ok;
}

static ompd_rc_t add_task_team(struct search *s, ompd_addr_t task_team)
{
	ompd_addr_t data, node = 0;
	int32_t n;

	RC_TRY(PROCESS_READ(s->process, task_team + s->l->tt_threads, &data));
	RC_TRY(PROCESS_READ(s->process, task_team + s->l->tt_nproc, &n));
	for (int32_t i = 0; data && i < n && i < s->team->nproc && !s->cut; i++)
		RC_TRY(add_deque(s, data + (uint64_t)(uint32_t)i * s->l->deque_stride));
	if (offset_known(s->l->tt_priorities))
		RC_TRY(PROCESS_READ(s->process, task_team + s->l->tt_priorities, &node));
	for (unsigned i = 0; node && !s->cut; i++) {
		s->cut = i == MAX_PRIORITIES;
		RC_TRY(add_deque(s, node));
		RC_TRY(PROCESS_READ(s->process, node + s->l->pri_next, &node));
	}
	return ompd_rc_ok;
}

/* Return whether @task or one of its ancestors has had children with dependences. */
static ompd_rc_t has_dependences(const struct search *s, ompd_addr_t address, bool *ret)
{
	struct libomp_task task;
	ompd_addr_t hash;

	for (unsigned i = 0; address && i < MAX_GENERATIONS; i++) {
		RC_TRY(PROCESS_READ(s->process, address + s->l->td_dephash, &hash));
		RC_TRY(libomp_task_read(s->process, address, &task));
		if (hash) {
			*ret = true;
			return ompd_rc_ok;
		}
		if (task.team != s->team->address)
			return ompd_rc_ok;
		address = task.parent;
	}
	return ompd_rc_ok;
}

ompd_rc_t libomp_region_queued(const struct process *process, const struct region_ref *region, struct queued_tasks *ret)
{
	const struct libomp_layout *l = &libomp_of(process)->layout;
	ompd_addr_t task_teams[TASK_TEAMS], address;
	struct libomp_thread thread;
	struct libomp_team team;
	struct search s = {.process = process, .l = l, .team = &team, .region = region, .ret = ret};
	bool depends = false;

	RC_TRY(libomp_region_team(process, region, &team));
	if (!offset_known(l->team_task_team) || !offset_known(l->tt_threads) || !offset_known(l->deque) ||
	    !offset_known(l->td_dephash))
		return ompd_rc_unsupported;
	if (team.serialized) /* a serialized team executes deferred tasks at once */
		return ompd_rc_ok;
	RC_TRY(cb_read(process->context, team.address + l->team_task_team, sizeof(task_teams), task_teams));
	for (size_t i = 0; i < TASK_TEAMS; i++)
		if (task_teams[i])
			RC_TRY(add_task_team(&s, task_teams[i]));
	for (int32_t i = 0; i < team.nproc && !depends; i++) {
		RC_TRY(libomp_team_member(process, &team, i, &address));
		if (address && libomp_thread_read(process, address, &thread) == ompd_rc_ok)
			RC_TRY(has_dependences(&s, thread.current_task, &depends));
	}
	return s.cut || depends || libomp_of(process)->has_task_graphs ? ompd_rc_incomplete : ompd_rc_ok;
}

ompd_rc_t libomp_task_predecessors(const struct process *process, const struct task_ref *ref, uint32_t *ret)
{
	const struct libomp_layout *l = &libomp_of(process)->layout;
	ompd_addr_t node, task = 0;
	int32_t n = 0;

	if (!offset_known(l->td_depnode) || !offset_known(l->dep_predecessors))
		return ompd_rc_unsupported;
	RC_TRY(PROCESS_READ(process, ref->task + l->td_depnode, &node));
	if (node)
		RC_TRY(PROCESS_READ(process, node + NODE_TASK, &task));
	/* The replay of a task graph leaves the pointer to the freed node of the recording. */
	if (task == ref->task + l->td_size)
		RC_TRY(PROCESS_READ(process, node + l->dep_predecessors, &n));
	*ret = n > 0 ? (uint32_t)n : 0;
	return ompd_rc_ok;
}
