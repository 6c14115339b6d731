/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The addresses on which the children of one task depend, and the tasks that wait for the end of others. */
#include "core/task/depend.h"

#include <stdlib.h>

#include "core/state/task.h"
#include "core/sync/wake.h"
#include "core/task/task_end.h"
#include "core/task/task_queue.h"
#include "os/memory.h"
#include "tools/point.h"

#define DEPEND_CLOSED ((struct depend_link *)1)
/* Stands for omp_all_memory, which gcc 13 and newer pass as NULL: NULL marks a free entry here. */
#define ALL_MEMORY ((const void *)UINTPTR_MAX)

/* A list of tasks. */
struct cell {
	struct task *task;
	struct cell *next;
};

/* The children's dependences on one address. */
struct entry {
	const void *address; /* NULL: free */
	uint32_t kind;	     /* kind of the tasks in `last`; of the exclusive kinds there is one task */
	uint32_t n_last;
	uint32_t n_purge;    /* size at which done tasks are removed from `last` */
	struct cell *last;   /* the newest group of tasks that may run concurrently */
	struct cell *before; /* the group before, for further tasks of the newest */
};

struct depend_table {
	uint32_t n, mask; /* entries in use; capacity - 1 */
	bool has_all;	  /* a task came after all addresses */
	struct cell *free;
	struct cell_block *blocks;
	struct entry *entries;
};

enum { CELLS = 30, FIRST_ENTRIES = 16, PURGE = 16 };

struct cell_block {
	struct cell_block *next;
	struct cell cells[CELLS];
};

/* Iterates over gcc's list. */
struct reader {
	void *const *next, *const *end;
	size_t n_out, n_mutex, n_in; /* left */
};

static struct reader create_reader(void *const *depend)
{
	size_t n = (uintptr_t)depend[0];
	struct reader r;

	if (n) {
		r = (struct reader){.next = depend + 2, .n_out = (uintptr_t)depend[1]};
		r.n_in = n - r.n_out;
	} else {
		n = (uintptr_t)depend[1];
		r = (struct reader){
			.next = depend + 5,
			.n_out = (uintptr_t)depend[2],
			.n_mutex = (uintptr_t)depend[3],
			.n_in = (uintptr_t)depend[4],
		};
	}
	r.end = r.next + n;
	return r;
}

static bool read_dependence(struct reader *r, const void **address_ret, enum depend_kind *kind_ret)
{
	const struct depend_object *object;

	if (r->next == r->end)
		return false;
	*address_ret = *r->next;
	if (r->n_out) {
		r->n_out--;
		*kind_ret = DEPEND_OUT;
	} else if (r->n_mutex) {
		r->n_mutex--;
		*kind_ret = DEPEND_MUTEXINOUTSET;
	} else if (r->n_in) {
		r->n_in--;
		*kind_ret = DEPEND_IN;
	} else {
		object = *r->next;
		*address_ret = object->address;
		*kind_ret = (enum depend_kind)object->kind;
	}
	r->next++;
	if (!*address_ret)
		*address_ret = ALL_MEMORY;
	/* An order among the tasks of a mutexinoutset excludes them from each other too. */
	if (*kind_ret != DEPEND_IN && *kind_ret != DEPEND_INOUTSET)
		*kind_ret = DEPEND_OUT;
	return true;
}

static bool is_done(const struct task *task)
{
	/* Acquire: a successor that may run because of this sees all that the task did. */
	return __atomic_load_n(&task->depend->successors, __ATOMIC_ACQUIRE) == DEPEND_CLOSED;
}

static uint64_t hash_address(const void *address)
{
	uint64_t x = (uintptr_t)address * 0x9e3779b97f4a7c15ull;

	return x >> 32;
}

/* Returns the entry of @address, or the free entry for it. */
static struct entry *find_entry(const struct depend_table *table, const void *address)
{
	uint64_t i = hash_address(address);

	for (;; i++) {
		struct entry *e = &table->entries[i & table->mask];

		if (e->address == address || !e->address)
			return e;
	}
}

static struct cell *cell_new(struct depend_table *table, struct task *task, struct cell *next)
{
	struct cell *cell = table->free;

	if (!cell) {
		struct cell_block *block = memory_alloc(sizeof(*block));

		block->next = table->blocks;
		table->blocks = block;
		for (int i = 0; i < CELLS; i++) {
			block->cells[i].next = cell;
			cell = &block->cells[i];
		}
	}
	table->free = cell->next;
	*cell = (struct cell){task, next};
	task->depend->n_table++;
	return cell;
}

static void task_forget(struct thread *t, struct task *task)
{
	if (--task->depend->n_table == 0 && depend_node_release(task))
		task_release(t, task);
}

static void cells_free(struct thread *t, struct depend_table *table, struct cell *list)
{
	while (list) {
		struct cell *next = list->next;

		task_forget(t, list->task);
		list->next = table->free;
		table->free = list;
		list = next;
	}
}

bool depend_node_release(struct task *task)
{
	/* Acquire and release: the second of the two frees, after all that the first did. */
	if (__atomic_exchange_n(&task->depend->is_released, 1, __ATOMIC_ACQ_REL) == 0)
		return false;
	for (struct depend_links *more = task->depend->more; more;) {
		struct depend_links *next = more->next;

		free(more);
		more = next;
	}
	task->depend = NULL;
	return true;
}

static struct depend_link *link_new(struct depend_node *node)
{
	if (!node->more && node->n_links < DEPEND_LINKS)
		return &node->first[node->n_links++];
	if (!node->more || node->n_links == node->n_room) {
		uint32_t n = node->more ? 2 * node->n_room : 16;
		struct depend_links *more = memory_alloc(sizeof(*more) + n * sizeof(more->links[0]));

		more->next = node->more;
		node->more = more;
		node->n_room = n;
		node->n_links = 0;
	}
	return &node->more->links[node->n_links++];
}

/* @task runs after @before. Returns whether it has to wait. */
static bool add_predecessor(struct task *task, struct task *before)
{
	struct depend_link *old = __atomic_load_n(&before->depend->successors, __ATOMIC_ACQUIRE);
	struct depend_link *link;

	if (old == DEPEND_CLOSED || before == task || before->depend->newest == task)
		return false;
	link = link_new(task->depend);
	link->task = task;
	do {
		if (old == DEPEND_CLOSED) {
			task->depend->n_links--;
			return false;
		}
		link->next = old;
		/*
		 * Only this thread pushes, so the old head is still the head, or the list is closed. Release: the link
		 * and the task.
		 */
	} while (!__atomic_compare_exchange_n(&before->depend->successors, &old, link, true, __ATOMIC_ACQ_REL,
					      __ATOMIC_ACQUIRE));
	before->depend->newest = task;
	POINT(task_dependence, before, task);
	return true;
}

/* Removes tasks that are done. Those of the newest group are removed only after the group before is done. */
static void purge_entry(struct thread *t, struct depend_table *table, struct entry *e)
{
	struct cell **at = &e->last;

	while (*at) {
		struct cell *cell = *at;

		if (!is_done(cell->task)) {
			at = &cell->next;
			continue;
		}
		*at = cell->next;
		cell->next = NULL;
		cells_free(t, table, cell);
		e->n_last--;
	}
	if (!e->last) {
		cells_free(t, table, e->before);
		e->before = NULL;
	}
	e->n_purge = 2 * e->n_last + PURGE;
}

/* Makes room for another address, and forgets addresses whose tasks are all done. */
static void grow_table(struct thread *t, struct depend_table *table)
{
	struct entry *old = table->entries;
	uint32_t n = old ? table->mask + 1 : 0, live = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (!old[i].address)
			continue;
		purge_entry(t, table, &old[i]);
		live += old[i].last != NULL;
	}
	if (2 * live >= n)
		table->mask = n ? 2 * n - 1 : FIRST_ENTRIES - 1;
	table->entries = memory_zalloc((table->mask + 1) * sizeof(*table->entries));
	table->n = live;
	for (uint32_t i = 0; i < n; i++)
		if (old[i].address && old[i].last)
			*find_entry(table, old[i].address) = old[i];
	free(old);
}

/* Returns the number of tasks in @list that @task has to wait for. @task itself may be in the list. */
static int32_t add_list(struct task *task, const struct cell *list)
{
	int32_t n = 0;

	for (; list; list = list->next)
		if (list->task != task)
			n += add_predecessor(task, list->task);
	return n;
}

/* Orders @task after all known tasks, and before all later ones. */
static int32_t add_all(struct depend_table *table, struct task *task)
{
	int32_t n = 0;

	table->has_all = true;
	for (uint32_t i = 0; i <= table->mask; i++)
		if (table->entries[i].address && table->entries[i].address != ALL_MEMORY)
			n += add_list(task, table->entries[i].last);
	return n;
}

/* Returns the number of predecessors that @task has by this address. */
static int32_t add_dependence(struct thread *t, struct depend_table *table, struct task *task, const void *address,
			      enum depend_kind kind)
{
	struct entry *e = find_entry(table, address);
	bool shared = kind != DEPEND_OUT;
	struct cell *old;
	int32_t n = 0;
	bool known;

	if (!e->address) {
		if (4 * (table->n + 1) > 3 * table->mask) {
			grow_table(t, table);
			e = find_entry(table, address);
		}
		table->n++;
		e->address = address;
		e->n_purge = PURGE;
	}
	old = e->last;
	known = old && old->task == task; /* the same address again */
	if (known && (e->kind == (uint32_t)kind || e->kind == DEPEND_OUT))
		return 0;
	if (address == ALL_MEMORY && kind == DEPEND_OUT)
		n = add_all(table, task);
	else if (table->has_all)
		n = add_list(task, find_entry(table, ALL_MEMORY)->last);
	if (shared && e->kind == (uint32_t)kind && old) {
		if (e->n_last >= e->n_purge)
			purge_entry(t, table, e);
		for (struct cell *c = e->before; c; c = c->next)
			n += add_predecessor(task, c->task);
		e->last = cell_new(table, task, e->last);
		e->n_last++;
		return n;
	}
	for (struct cell *c = old; c; c = c->next)
		n += add_predecessor(task, c->task);
	e->last = cell_new(table, task, NULL);
	e->n_last = 1;
	e->kind = kind;
	cells_free(t, table, e->before);
	e->before = shared ? old : NULL;
	if (!shared)
		cells_free(t, table, old);
	return n;
}

static bool are_done(const struct cell *list)
{
	for (; list; list = list->next)
		if (!is_done(list->task))
			return false;
	return true;
}

static bool all_are_done(const struct depend_table *table)
{
	for (uint32_t i = 0; i <= table->mask; i++)
		if (table->entries[i].address && !are_done(table->entries[i].last))
			return false;
	return true;
}

bool depend_is_satisfied(const struct task *parent, void *const *depend)
{
	const struct depend_table *table = parent->depends;
	struct reader r = create_reader(depend);
	const void *address;
	enum depend_kind kind;

	if (!table)
		return true;
	while (read_dependence(&r, &address, &kind)) {
		const struct entry *e = find_entry(table, address);

		if (address == ALL_MEMORY && kind == DEPEND_OUT && !all_are_done(table))
			return false;
		if (table->has_all && !are_done(find_entry(table, ALL_MEMORY)->last))
			return false;
		if (e->address && !are_done(kind == e->kind && kind != DEPEND_OUT ? e->before : e->last))
			return false;
	}
	return true;
}

bool depend_register(struct thread *t, struct task *task, void *const *depend)
{
	struct task *parent = t->task;
	struct depend_table *table = parent->depends;
	struct reader r = create_reader(depend);
	const void *address;
	enum depend_kind kind;
	int32_t n = 0;

	if (!table) {
		table = memory_zalloc(sizeof(*table));
		grow_table(t, table);
		parent->depends = table;
	}
	while (read_dependence(&r, &address, &kind))
		n += add_dependence(t, table, task, address, kind);
	if (!task->depend->n_table)
		task->depend->is_released = 1; /* no address: only this thread knows the task */
	if (!n)
		return true;
	/*
	 * Completed predecessors have already subtracted themselves, so the count reaches zero here or at a
	 * predecessor. Acquire and release: the thread that makes the task ready does so after all predecessors.
	 */
	return __atomic_add_fetch(&task->depend->n_pending, n, __ATOMIC_ACQ_REL) == 0;
}

void depend_release_successors(struct thread *t, struct task *task)
{
	/* Release: what the task did. Acquire: the links. */
	struct depend_link *link = __atomic_exchange_n(&task->depend->successors, DEPEND_CLOSED, __ATOMIC_ACQ_REL);

	while (link) {
		/* Once its count is zero, the successor and its links may belong to another thread. */
		struct depend_link *next = link->next;
		struct task *successor = link->task;
		struct member *waiting =
			successor->flags & TASK_UNDEFERRED ? &t->team->members[successor->thread_num] : NULL;

		if (__atomic_sub_fetch(&successor->depend->n_pending, 1, __ATOMIC_ACQ_REL) == 0) {
			if (waiting)
				task_wake(waiting);
			else if (task->flags & TASK_ENDED)
				task_ready_for_all(t, successor); /* any thread may have completed @task */
			else
				task_ready(t, successor);
		}
		link = next;
	}
}

void depend_table_destroy(struct thread *t, struct task *task)
{
	struct depend_table *table = task->depends;

	task->depends = NULL;
	for (uint32_t i = 0; i <= table->mask; i++) {
		cells_free(t, table, table->entries[i].last);
		cells_free(t, table, table->entries[i].before);
	}
	while (table->blocks) {
		struct cell_block *next = table->blocks->next;

		free(table->blocks);
		table->blocks = next;
	}
	free(table->entries);
	free(table);
}
