/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tasks that threads and tasks of stock libomp wait for; in backend_libomp. A task counts its
 * children, and a taskgroup its tasks, but neither has a list. This file searches the threads'
 * deques, the tasks that threads execute, the tables of dependences, and the successors of each
 * task that it finds. The result is complete if it has as many tasks as were counted.
 */
#include "libomp/libomp.h"
#include "ompd-more.h"
#include "steps.h"

/* Limit on the tasks of a region. */
#define MAX_TASKS 1024

/*
 * Bits of td_flags that the compiler sets. The task is detached, or will be: its block may end
 * before the task is complete.
 */
#define FLAG_PROXY	(1u << 4)
#define FLAG_DETACHABLE (1u << 6)

/* kmp_depnode_t, LLVM 9 to 23: the node of a task with dependences. */
struct node {
	ompd_addr_t successors; /* list of the tasks that wait for this task */
	ompd_addr_t task;	/* the task that the program sees; 0: it is done */
};

struct link {
	ompd_addr_t node, next;
};

/*
 * kmp_dephash_t: the table of the dependences of one task's children, by address.
 * kmp_dephash_entry_t: the last children that were to write and to read there.
 */
struct hash {
	ompd_addr_t buckets;
	uint64_t n_buckets;
};

struct entry {
	ompd_addr_t address, last_out, last_set, previous_set;
	uint64_t flag;
	ompd_addr_t lock, next;
};

struct search {
	const struct process *process;
	const struct libomp_layout *l;
	struct region_ref region;
	struct libomp_team team;
	struct awaited_list tasks; /* the team's unfinished tasks that were found */
	struct steps steps; /* the target's lists may be damaged: then tasks are missing, and the counts differ */
};

static bool can_list(const struct libomp_layout *l)
{
	return offset_known(l->td_dephash) && offset_known(l->td_depnode) && offset_known(l->dep_predecessors) &&
	       offset_known(l->td_incomplete) && offset_known(l->td_taskgroup) && offset_known(l->td_team);
}

static ompd_rc_t read_progress(const struct search *s, const struct task_ref *ref, uint32_t flags, ompd_word_t *ret)
{
	const struct libomp *libomp = libomp_of(s->process);
	uint32_t n_predecessors;

	if (flags & libomp->flag_started) {
		bool is_detached =
			(flags & FLAG_PROXY) && (flags & FLAG_DETACHABLE) && !(flags & libomp->flag_executing);

		*ret = is_detached ? ompd_progress_detached : ompd_progress_begun;
		return ompd_rc_ok;
	}
	RC_TRY(libomp_task_predecessors(s->process, ref, &n_predecessors));
	*ret = n_predecessors ? ompd_progress_dependent : ompd_progress_ready;
	return ompd_rc_ok;
}

/* Add the task at @address if it is an unfinished explicit task of the team. */
static ompd_rc_t add_task(struct search *s, ompd_addr_t address)
{
	const struct libomp *libomp = libomp_of(s->process);
	struct awaited item = {.task = {.task = address, .region = s->region}};
	struct libomp_task task;

	if (awaited_has_task(&s->tasks, address))
		return ompd_rc_ok;
	ompd_rc_t rc = libomp_task_read(s->process, address, &task);

	if (rc == ompd_rc_stale_handle) /* freed */
		return ompd_rc_ok;
	if (rc != ompd_rc_ok)
		return rc;
	if (!(task.flags & libomp->flag_tasktype) || (task.flags & libomp->flag_complete) ||
	    task.team != s->team.address)
		return ompd_rc_ok;
	RC_TRY(read_progress(s, &item.task, task.flags, &item.progress));
	return awaited_add(&s->tasks, &item);
}

/* Add the task of the node at @address. The task must refer to the node too. */
static ompd_rc_t add_node(struct search *s, ompd_addr_t address)
{
	ompd_addr_t task, own;
	struct node node;

	if (!address)
		return ompd_rc_ok;
	RC_TRY(PROCESS_READ(s->process, address, &node));
	if (!node.task)
		return ompd_rc_ok;
	task = node.task - s->l->td_size;
	if (PROCESS_READ(s->process, task + s->l->td_depnode, &own) != ompd_rc_ok || own != address)
		return ompd_rc_ok;
	return add_task(s, task);
}

static ompd_rc_t add_list(struct search *s, ompd_addr_t at)
{
	struct steps_list links = {0};
	struct link link;

	while (steps_along(&s->steps, &links, at)) {
		RC_TRY(PROCESS_READ(s->process, at, &link));
		RC_TRY(add_node(s, link.node));
		at = link.next;
	}
	return ompd_rc_ok;
}

/* Add the children of @task that others depend on or could depend on. */
static ompd_rc_t add_children(struct search *s, ompd_addr_t task)
{
	ompd_addr_t address, at, last_all;
	struct hash hash;
	struct entry entry;

	RC_TRY(PROCESS_READ(s->process, task + s->l->td_dephash, &address));
	if (!address)
		return ompd_rc_ok;
	RC_TRY(PROCESS_READ(s->process, address, &hash));
	if (offset_known(s->l->hash_last_all)) {
		RC_TRY(PROCESS_READ(s->process, address + s->l->hash_last_all, &last_all));
		RC_TRY(add_node(s, last_all));
	}
	for (uint64_t i = 0; i < hash.n_buckets && steps_go_on(&s->steps); i++) {
		struct steps_list entries = {0};

		RC_TRY(PROCESS_READ(s->process, hash.buckets + i * sizeof(at), &at));
		while (steps_along(&s->steps, &entries, at)) {
			RC_TRY(PROCESS_READ(s->process, at, &entry));
			RC_TRY(add_node(s, entry.last_out));
			RC_TRY(add_list(s, entry.last_set));
			RC_TRY(add_list(s, entry.previous_set));
			at = entry.next;
		}
	}
	return ompd_rc_ok;
}

/* Add the tasks that wait for @task. Adds to *@n_wanted how often @wanted is among them. */
static ompd_rc_t add_successors(struct search *s, ompd_addr_t task, ompd_addr_t wanted, uint32_t *n_wanted)
{
	struct steps_list links = {0};
	ompd_addr_t address, at;
	struct link link;

	RC_TRY(PROCESS_READ(s->process, task + s->l->td_depnode, &address));
	if (!address)
		return ompd_rc_ok;
	RC_TRY(PROCESS_READ(s->process, address, &at));
	if (!wanted)
		return add_list(s, at);
	while (steps_along(&s->steps, &links, at)) {
		RC_TRY(PROCESS_READ(s->process, at, &link));
		*n_wanted += link.node == wanted;
		at = link.next;
	}
	return ompd_rc_ok;
}

static ompd_rc_t add_ready(struct search *s)
{
	struct queued_tasks queued = {.max = MAX_TASKS};
	ompd_rc_t rc = libomp_region_queued(s->process, &s->region, &queued);

	if (rc == ompd_rc_incomplete) /* tasks with dependences are found below */
		rc = ompd_rc_ok;
	for (size_t i = 0; i < queued.n && rc == ompd_rc_ok; i++)
		rc = add_task(s, queued.tasks[i].task);
	cb_free(queued.tasks);
	return rc;
}

/* Add the tasks that the team's threads execute, their ancestors, and the children of each. */
static ompd_rc_t add_executed(struct search *s)
{
	struct libomp_thread thread;
	struct libomp_task task;
	ompd_addr_t address;

	for (int32_t i = 0; i < s->team.nproc; i++) {
		RC_TRY(libomp_team_member(s->process, &s->team, i, &address));
		if (!address || libomp_thread_read(s->process, address, &thread) != ompd_rc_ok)
			continue;
		struct steps_list ancestors = {0};

		address = thread.current_task;
		while (steps_along(&s->steps, &ancestors, address)) {
			if (libomp_task_read(s->process, address, &task) != ompd_rc_ok)
				break;
			if (task.team == s->team.address) {
				RC_TRY(add_task(s, address));
				RC_TRY(add_children(s, address));
			}
			address = task.parent;
		}
	}
	return ompd_rc_ok;
}

static ompd_rc_t find_tasks(struct search *s)
{
	if (!can_list(s->l))
		return ompd_rc_unavailable;
	RC_TRY(libomp_region_team(s->process, &s->region, &s->team));
	RC_TRY(add_ready(s));
	RC_TRY(add_executed(s));
	/* The loop extends the list: it appends the tasks that wait for a task in it. */
	for (size_t i = 0; i < s->tasks.n; i++) {
		ompd_addr_t task = s->tasks.items[i].task.task;

		RC_TRY(add_children(s, task));
		RC_TRY(add_successors(s, task, 0, NULL));
	}
	return ompd_rc_ok;
}

/*
 * Choose the children of @parent, or the tasks in @group, from the tasks found. @n is their number
 * in the target.
 */
static ompd_rc_t choose_tasks(const struct search *s, ompd_addr_t parent, ompd_addr_t group, int32_t n,
			      struct awaited_list *ret)
{
	struct libomp_task task;

	ret->is_complete = true;
	for (size_t i = 0; i < s->tasks.n; i++) {
		RC_TRY(libomp_task_read(s->process, s->tasks.items[i].task.task, &task));
		if (parent ? task.parent == parent : task.taskgroup == group)
			RC_TRY(awaited_add(ret, &s->tasks.items[i]));
	}
	ret->is_complete &= n >= 0 && ret->n == (size_t)n;
	return ompd_rc_ok;
}

static ompd_rc_t find_for_thread(struct search *s, const struct thread_ref *ref, struct awaited_list *list)
{
	struct task_ref own;
	struct libomp_task task;
	ompd_word_t state;
	ompd_wait_id_t wait_id;
	int32_t n;

	RC_TRY(libomp_thread_state(s->process, ref, &state, &wait_id));
	if (state != ompt_state_wait_taskwait && state != ompt_state_wait_taskgroup)
		return ompd_rc_unavailable;
	RC_TRY(libomp_thread_task(s->process, ref, &own));
	RC_TRY(libomp_task_read(s->process, own.task, &task));
	s->region = own.region;
	RC_TRY(find_tasks(s));
	if (state == ompt_state_wait_taskwait)
		return choose_tasks(s, own.task, 0, task.incomplete, list);
	RC_TRY(PROCESS_READ(s->process, task.taskgroup + s->l->tg_count, &n));
	return choose_tasks(s, 0, task.taskgroup, n, list);
}

/* A task is counted once for each of its dependences. */
static ompd_rc_t find_for_task(struct search *s, const struct task_ref *ref, struct awaited_list *list)
{
	uint32_t n_predecessors, n = 0;
	ompd_addr_t node;

	list->is_complete = true;
	RC_TRY(libomp_task_predecessors(s->process, ref, &n_predecessors));
	if (!n_predecessors)
		return ompd_rc_ok;
	s->region = ref->region;
	RC_TRY(find_tasks(s));
	RC_TRY(PROCESS_READ(s->process, ref->task + s->l->td_depnode, &node));
	for (size_t i = 0; node && i < s->tasks.n; i++) {
		uint32_t before = n;

		RC_TRY(add_successors(s, s->tasks.items[i].task.task, node, &n));
		if (n > before)
			RC_TRY(awaited_add(list, &s->tasks.items[i]));
	}
	list->is_complete &= n == n_predecessors;
	return ompd_rc_ok;
}

/*
 * A task may have children and be in a group with others. Then memory does not show whether it
 * waits for the children or for the group.
 */
static ompd_rc_t find_children(struct search *s, const struct thread_ref *ref, struct awaited_list *list)
{
	struct libomp_thread thread;
	struct libomp_task task;
	struct task_ref own;

	RC_TRY(libomp_thread_read(s->process, ref->thread, &thread));
	RC_TRY(libomp_taskwait(s->process, &thread, &task));
	RC_TRY(libomp_thread_task(s->process, ref, &own));
	s->region = own.region;
	RC_TRY(find_tasks(s));
	return choose_tasks(s, own.task, 0, task.incomplete, list);
}

static struct search make_search(const struct process *process)
{
	return (struct search){
		.process = process,
		.l = &libomp_of(process)->layout,
		.tasks = {.max = MAX_TASKS},
	};
}

ompd_rc_t libomp_awaited(const struct process *process, const struct subject *subject, struct awaited_list *ret)
{
	struct search s = make_search(process);
	ompd_rc_t rc =
		subject->thread ? find_for_thread(&s, subject->thread, ret) : find_for_task(&s, subject->task, ret);

	cb_free(s.tasks.items);
	return rc;
}

ompd_rc_t libomp_awaited_as(const struct process *process, const struct thread_ref *thread, ompd_word_t state,
			    struct awaited_list *ret)
{
	struct search s = make_search(process);

	if (state == ompt_state_wait_ordered)
		return libomp_ordered_awaited(process, thread, ret);
	if (state != ompt_state_wait_taskwait)
		return ompd_rc_unavailable;
	ompd_rc_t rc = find_children(&s, thread, ret);

	cb_free(s.tasks.items);
	return rc;
}
