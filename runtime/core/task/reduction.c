/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory for the copies of reduction variables, and the search for the executing thread's copy. */
#include "core/task/reduction.h"

#include <stdlib.h>
#include <string.h>

#include "core/state/task.h"
#include "core/state/team.h"
#include "core/state/worksharing.h"
#include "core/sync/lock.h"
#include "omp-tools.h"
#include "os/memory.h"
#include "os/message.h"
#include "os/spin.h"

/* Words of the array. */
enum { COUNT, SIZE, ALIGN, MEMORY = ALIGN, ENCLOSING = 4, END = 6, VARIABLES = 7, VARIABLE_SIZE = 3 };

static uint64_t *get_variable(uint64_t *data, uint64_t i)
{
	return data + VARIABLES + i * VARIABLE_SIZE;
}

void reduction_alloc(uint64_t *data, uint32_t n_threads)
{
	size_t align = data[ALIGN] > CACHE_LINE ? data[ALIGN] : CACHE_LINE;
	size_t size = data[SIZE] * n_threads;
	void *memory = memory_zalloc_aligned(align, size);

	data[MEMORY] = (uintptr_t)memory;
	data[END] = (uintptr_t)memory + size;
	data[ENCLOSING] = 0;
}

void reduction_free(uint64_t *data)
{
	free((void *)(uintptr_t)data[MEMORY]);
}

void reduction_register(struct thread *t, uint64_t *data)
{
	struct taskgroup *g = t->task->taskgroup;

	reduction_alloc(data, t->team->n_threads);
	data[ENCLOSING] = (uintptr_t)g->reductions;
	g->reductions = data;
}

void reduction_workshare_begin(struct thread *t, struct workshare *ws, uint64_t *data, bool first)
{
	struct team *team = t->team;
	struct reduction *r;

	if (first) {
		size_t size = (VARIABLES + VARIABLE_SIZE * data[COUNT]) * sizeof(*data);

		reduction_alloc(data, team->n_threads);
		/* Other members and tasks may need the data longer than this thread's stack frame exists. */
		r = memory_alloc(sizeof(*r) + size);
		r->data = (uint64_t *)(r + 1);
		r->n_left = team->n_threads;
		memcpy(r->data, data, size);
		lock_acquire(&team->reductions_lock, ompt_state_overhead);
		r->next = team->reductions;
		__atomic_store_n(&team->reductions, r, __ATOMIC_RELEASE);
		lock_release(&team->reductions_lock);
		ws->reductions = r->data;
	} else {
		r = (struct reduction *)ws->reductions - 1;
		data[MEMORY] = r->data[MEMORY];
		data[END] = r->data[END];
	}
	t->member->reduction = r;
}

static void destroy_reduction(struct reduction *r)
{
	reduction_free(r->data);
	free(r);
}

void reduction_workshare_end(struct thread *t, bool cancelled)
{
	struct team *team = t->team;
	struct reduction *r = t->member->reduction, **at;

	t->member->reduction = NULL;
	/* Members may still be in the construct, or not have arrived: wait for the end of the region. */
	if (!r || cancelled)
		return;
	if (__atomic_sub_fetch(&r->n_left, 1, __ATOMIC_ACQ_REL))
		return;
	lock_acquire(&team->reductions_lock, ompt_state_overhead);
	for (at = &team->reductions; *at != r; at = &(*at)->next)
		;
	*at = r->next;
	lock_release(&team->reductions_lock);
	destroy_reduction(r);
}

void reduction_team_end(struct team *team)
{
	struct reduction *r = team->reductions;

	team->reductions = NULL;
	while (r) {
		struct reduction *next = r->next;

		if (r->n_left)
			destroy_reduction(r);
		r = next;
	}
}

/*
 * Returns whether @data contains the variable, or a copy, at @address. Sets the offset in a thread's part, and the
 * variable.
 */
static bool find_variable(uint64_t *data, uint64_t address, uint64_t *offset_ret, uint64_t *original_ret)
{
	uint64_t offset;

	for (uint64_t i = 0; i < data[COUNT]; i++) {
		if (get_variable(data, i)[0] != address)
			continue;
		*offset_ret = get_variable(data, i)[1];
		*original_ret = address;
		return true;
	}
	if (address < data[MEMORY] || address >= data[END])
		return false;
	offset = (address - data[MEMORY]) % data[SIZE];
	*offset_ret = offset;
	*original_ret = 0;
	for (uint64_t i = 0; i < data[COUNT]; i++)
		if (get_variable(data, i)[1] == offset)
			*original_ret = get_variable(data, i)[0];
	return true;
}

/* Maps @address to the copy in the thread's part of the memory. */
static bool remap_address(struct thread *t, uint64_t address, void **copy_ret, uint64_t *original_ret)
{
	struct team *team = t->team;
	uint64_t *data, offset;

	for (struct taskgroup *g = t->task->taskgroup; g; g = g->outer)
		for (data = g->reductions; data; data = (uint64_t *)(uintptr_t)data[ENCLOSING])
			if (find_variable(data, address, &offset, original_ret))
				goto found;
	if (!__atomic_load_n(&team->reductions, __ATOMIC_ACQUIRE))
		return false;
	lock_acquire(&team->reductions_lock, ompt_state_overhead);
	for (struct reduction *r = team->reductions; r; r = r->next) {
		data = r->data;
		if (!find_variable(data, address, &offset, original_ret))
			continue;
		lock_release(&team->reductions_lock);
		goto found;
	}
	lock_release(&team->reductions_lock);
	return false;
found:
	*copy_ret = (void *)(uintptr_t)(data[MEMORY] + t->thread_num * data[SIZE] + offset);
	return true;
}

void reduction_remap(struct thread *t, size_t n, size_t n_original, void **pointers)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t original;

		if (!remap_address(t, (uintptr_t)pointers[i], &pointers[i], &original))
			message_fatal("couldn't find matching task_reduction or reduction with task modifier for %p",
				      pointers[i]);
		if (i < n_original)
			pointers[n + i] = (void *)(uintptr_t)original;
	}
}
