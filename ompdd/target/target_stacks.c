/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The part of a thread's stack that a view reads. A copy contains the stacks that the last view read: their addresses
 * are known only when the threads are stopped.
 */
#include "target/target_ops.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

#define PAGE_DOWN(addr) ((addr) & ~(uint64_t)(CACHE_PAGE - 1))

size_t target_stack_part(struct target *t, pid_t tid, size_t max_bytes, struct target_registers *registers_ret,
			 uint64_t *start_ret)
{
	const struct target_thread *thread = target_thread_by_tid(t, tid);
	uint64_t pthread = thread ? thread->pthread : 0, start, end;

	if (!target_registers(t, tid, registers_ret))
		return 0;
	start = PAGE_DOWN(registers_ret->value[TARGET_REGISTER_SP] - arch->red_zone);
	*start_ret = start;
	if (__builtin_add_overflow(start, max_bytes, &end))
		return 0;
	/* The thread's descriptor lies at the top of the stack that glibc allocated for it. */
	if (pthread > start && pthread < end)
		end = PAGE_DOWN(pthread + CACHE_PAGE - 1);
	return end - start;
}

void target_note_stacks(struct target *t, const pid_t *tids, size_t n, size_t max_bytes)
{
	struct target_stacks *stacks = &t->stacks;

	if (t->mode != TARGET_STOP || target_is_stopped(t))
		return;
	stacks->n = 0;
	if (!VECTOR_RESERVE(stacks->tids, n, stacks->cap))
		return;
	memcpy(stacks->tids, tids, n * sizeof(*tids));
	stacks->n = n;
	stacks->max_bytes = max_bytes;
}

struct error *target_fetch_stacks(struct target *t)
{
	struct target_stacks *stacks = &t->stacks;

	for (size_t i = 0; i < stacks->n; i++) {
		struct target_registers registers;
		uint64_t start;
		size_t len = target_stack_part(t, stacks->tids[i], stacks->max_bytes, &registers, &start);
		struct error *err = len ? target_fetch(t, start, len) : NULL;

		if (err)
			return err;
	}
	return NULL;
}

bool target_cached_page(struct target *t, uint64_t addr, unsigned char *buf, bool *ok_ret)
{
	const struct cache_slot *slot = cache_find(&t->cache, addr);

	if (!slot)
		return false;
	*ok_ret = slot->valid_from == 0 && slot->valid_to == CACHE_PAGE;
	if (*ok_ret)
		memcpy(buf, slot->page, CACHE_PAGE);
	return *ok_ret || !slot->valid_to;
}
