/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tasks that threads and tasks of stock libgomp wait for; in backend_gomp. Ready, executing and
 * detached tasks are in a queue of their parent and in a queue of their taskgroup. A task that
 * waits for others is only linked from these tasks.
 */
#include "gomp/gomp.h"
#include "ompd-more.h"

#define MAX_TASKS    65536
#define MAX_SIBLINGS 4096

/* The kinds of queues: a task has one node for each. */
enum queue_kind { QUEUE_TEAM, QUEUE_CHILDREN, QUEUE_TASKGROUP };
/* Offset of the list in a queue without priorities. A queue with priorities has a tree at its start. */
#define QUEUE_LIST 16
#define NODE_SIZE  16

struct node {
	ompd_addr_t next, previous;
};

/* The header of a list of tasks: their number, and the allocated number. */
struct vector {
	uint64_t n, room;
};

struct search {
	const struct process *process;
	const struct gomp_layout *l;
	struct region_ref region;
	ompd_addr_t parent, group; /* one of them is 0; tasks of this parent or taskgroup match */
	struct awaited_list *list;
};

static bool can_list(const struct gomp_layout *l)
{
	return offset_known(l->task_children) && offset_known(l->task_nodes) && offset_known(l->task_dependers) &&
	       offset_known(l->task_dependees) && offset_known(l->tg_queue) && offset_known(l->tg_children);
}

static ompd_rc_t read_progress(const struct search *s, ompd_addr_t address, const struct gomp_task *task,
			       ompd_word_t *ret)
{
	uint64_t n_dependees;

	if (task->kind == GOMP_TASK_DETACHED) {
		*ret = ompd_progress_detached;
	} else if (task->kind == GOMP_TASK_ASYNC_RUNNING) {
		*ret = ompd_progress_offloaded;
	} else if (task->kind == GOMP_TASK_WAITING) {
		RC_TRY(PROCESS_READ(s->process, address + s->l->task_dependees, &n_dependees));
		*ret = n_dependees ? ompd_progress_dependent : ompd_progress_ready;
	} else {
		*ret = ompd_progress_begun;
	}
	return ompd_rc_ok;
}

/* Add the task at @address if it matches. *@is_one_ret: whether it does. */
static ompd_rc_t add_task(const struct search *s, ompd_addr_t address, bool *is_one_ret)
{
	struct gomp_task task;
	struct awaited item = {.task = {.task = address, .region = s->region}};

	*is_one_ret = false;
	RC_TRY(gomp_task_read(s->process, address, &task));
	if (task.kind == GOMP_TASK_IMPLICIT || (s->parent ? task.parent != s->parent : task.taskgroup != s->group))
		return ompd_rc_ok;
	RC_TRY(read_progress(s, address, &task, &item.progress));
	*is_one_ret = true;
	return awaited_add(s->list, &item);
}

/*
 * Add the ring of nodes in the queue at @queue. The target may change it meanwhile; then the list
 * is incomplete.
 */
static ompd_rc_t add_queue(const struct search *s, ompd_addr_t queue, enum queue_kind kind)
{
	ompd_addr_t tree, first, at, before = 0;
	struct node node;
	bool is_one;

	RC_TRY(PROCESS_READ(s->process, queue, &tree));
	RC_TRY(PROCESS_READ(s->process, queue + QUEUE_LIST, &first));
	if (tree) { /* a tree of priorities is not followed */
		s->list->is_complete = false;
		return ompd_rc_ok;
	}
	at = first;
	for (unsigned n = 0; at && n < MAX_TASKS && s->list->n < s->list->max; n++) {
		RC_TRY(PROCESS_READ(s->process, at, &node));
		if (before && node.previous != before)
			break;
		if (add_task(s, at - s->l->task_nodes - kind * NODE_SIZE, &is_one) != ompd_rc_ok || !is_one)
			break;
		before = at;
		at = node.next;
		if (at == first)
			return ompd_rc_ok;
	}
	s->list->is_complete &= !first;
	return ompd_rc_ok;
}

/*
 * Look through the vector of the tasks that wait for @task. With @wanted, only search for that
 * task; else add all tasks that match.
 */
static ompd_rc_t scan_dependers(const struct search *s, ompd_addr_t task, ompd_addr_t wanted, bool *is_there)
{
	ompd_addr_t address, depender;
	struct vector vector;
	bool is_one;

	RC_TRY(PROCESS_READ(s->process, task + s->l->task_dependers, &address));
	if (!address)
		return ompd_rc_ok;
	RC_TRY(PROCESS_READ(s->process, address, &vector));
	if (vector.n > vector.room || vector.room > MAX_TASKS)
		return ompd_rc_error;
	for (uint64_t i = 0; i < vector.n; i++) {
		RC_TRY(PROCESS_READ(s->process, address + sizeof(vector) + i * sizeof(depender), &depender));
		if (wanted)
			*is_there |= depender == wanted;
		else if (depender && !awaited_has_task(s->list, depender))
			RC_TRY(add_task(s, depender, &is_one));
	}
	return ompd_rc_ok;
}

/* Find all matching tasks that are not done. */
static ompd_rc_t find_all(const struct search *s)
{
	s->list->is_complete = true;
	RC_TRY(s->parent ? add_queue(s, s->parent + s->l->task_children, QUEUE_CHILDREN)
			 : add_queue(s, s->group + s->l->tg_queue, QUEUE_TASKGROUP));
	/* The loop extends the list: it appends the tasks that wait for a task in it. */
	for (size_t i = 0; i < s->list->n; i++) {
		if (scan_dependers(s, s->list->items[i].task.task, 0, NULL) != ompd_rc_ok)
			s->list->is_complete = false;
	}
	if (s->group) {
		uint64_t n;

		RC_TRY(PROCESS_READ(s->process, s->group + s->l->tg_children, &n));
		s->list->is_complete &= n == s->list->n;
	}
	return ompd_rc_ok;
}

static ompd_rc_t find_for_thread(const struct process *process, const struct thread_ref *ref, struct awaited_list *list)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	struct search s = {.process = process, .l = l, .list = list};
	struct task_ref own;
	struct gomp_task task;
	ompd_word_t state;
	ompd_wait_id_t wait_id;
	uint8_t depend;

	if (!can_list(l))
		return ompd_rc_unavailable;
	RC_TRY(gomp_thread_state(process, ref, &state, &wait_id));
	if (state != ompt_state_wait_taskwait && state != ompt_state_wait_taskgroup)
		return ompd_rc_unavailable;
	RC_TRY(gomp_thread_task(process, ref, &own));
	RC_TRY(gomp_task_read(process, own.task, &task));
	s.region = own.region;
	if (state == ompt_state_wait_taskgroup) {
		s.group = task.taskgroup;
	} else {
		/* In taskwait with dependences, the thread waits only for some of the children. */
		RC_TRY(PROCESS_READ(process, task.taskwait + l->tw_depend, &depend));
		if (depend)
			return ompd_rc_unavailable;
		s.parent = own.task;
	}
	return s.group || s.parent ? find_all(&s) : ompd_rc_unavailable;
}

/* Find the siblings that the task depends on. */
static ompd_rc_t find_for_task(const struct process *process, const struct task_ref *ref, struct awaited_list *list)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	struct awaited_list siblings = {.max = MAX_SIBLINGS};
	struct search s = {.process = process, .l = l, .region = ref->region, .list = &siblings};
	uint32_t n_dependees;
	struct gomp_task task;

	list->is_complete = true;
	RC_TRY(gomp_task_predecessors(process, ref, &n_dependees));
	if (!n_dependees)
		return ompd_rc_ok;
	RC_TRY(gomp_task_read(process, ref->task, &task));
	s.parent = task.parent;
	if (!s.parent || !can_list(l))
		return ompd_rc_unavailable;
	ompd_rc_t rc = find_all(&s);

	for (size_t i = 0; i < siblings.n && rc == ompd_rc_ok; i++) {
		bool is_there = false;

		rc = scan_dependers(&s, siblings.items[i].task.task, ref->task, &is_there);
		if (rc == ompd_rc_ok && is_there)
			rc = awaited_add(list, &siblings.items[i]);
	}
	list->is_complete &= list->n == n_dependees;
	cb_free(siblings.items);
	return rc;
}

ompd_rc_t gomp_awaited(const struct process *process, const struct subject *subject, struct awaited_list *ret)
{
	return subject->thread ? find_for_thread(process, subject->thread, ret)
			       : find_for_task(process, subject->task, ret);
}

ompd_rc_t gomp_task_predecessors(const struct process *process, const struct task_ref *ref, uint32_t *ret)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	struct gomp_task task;
	uint64_t n = 0;

	if (!offset_known(l->task_dependees))
		return ompd_rc_unsupported;
	*ret = 0;
	if (!ref->task)
		return ompd_rc_ok;
	RC_TRY(gomp_task_read(process, ref->task, &task));
	if (task.kind == GOMP_TASK_WAITING)
		RC_TRY(PROCESS_READ(process, ref->task + l->task_dependees, &n));
	*ret = n > MAX_TASKS ? MAX_TASKS : (uint32_t)n;
	return ompd_rc_ok;
}
