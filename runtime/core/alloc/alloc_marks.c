/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A search tree of addresses, by the C library's tsearch(). */
#include "core/alloc/alloc_marks.h"

#include <search.h>
#include <stdint.h>

#include "core/state/lock_word.h"
#include "core/sync/lock.h"
#include "omp-tools.h"
#include "os/message.h"

static struct {
	struct lock lock;
	void *tree;
} marks;

static int compare_address(const void *a, const void *b)
{
	return (uintptr_t)a < (uintptr_t)b ? -1 : (uintptr_t)a > (uintptr_t)b;
}

void alloc_mark(void *memory)
{
	void *node;

	lock_acquire(&marks.lock, ompt_state_overhead);
	node = tsearch(memory, &marks.tree, compare_address);
	lock_release(&marks.lock);
	if (!node)
		message_fatal("Out of memory");
}

bool alloc_unmark(void *memory)
{
	bool marked = false;

	lock_acquire(&marks.lock, ompt_state_overhead);
	if (marks.tree)
		marked = tdelete(memory, &marks.tree, compare_address) != NULL;
	lock_release(&marks.lock);
	return marked;
}
