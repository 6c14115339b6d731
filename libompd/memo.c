/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A few pieces of the target's memory, the least recently used of which gives way; called by callbacks.c. */
#include "memo.h"

#include <stdint.h>
#include <string.h>

/* Enough for the thread, task, team and lists that one chain of calls looks at; few enough to be searched one by one. */
#define MAX_PIECES 32
/* Longer ones are not kept: no structure of a runtime is. */
#define MAX_SIZE   1024

struct piece {
	ompd_addr_t address;
	uint64_t used; /* the time of its last use, in uses */
	size_t size;
};

static struct {
	const ompd_address_space_context_t *context; /* whose memory it is */
	const ompd_address_space_context_t *view;    /* of which process the tool has begun a view */
	uint64_t uses;
	size_t n;
	struct piece pieces[MAX_PIECES];
	uint8_t bytes[MAX_PIECES][MAX_SIZE];
} memo;

void memo_forget(void)
{
	memo.n = 0;
	memo.uses = 0;
}

void memo_begin_call(void)
{
	if (!memo.view)
		memo_forget();
}

void memo_begin_view(ompd_address_space_context_t *context)
{
	memo_forget();
	memo.view = context;
}

void memo_end_view(void)
{
	memo_forget();
	memo.view = NULL;
}

/* Beside a view of one process, others are read anew each time. */
static bool is_kept(const ompd_address_space_context_t *context)
{
	if (memo.view)
		return context == memo.view;
	return !memo.n || context == memo.context;
}

bool memo_find(const ompd_address_space_context_t *context, ompd_addr_t address, size_t size, void *ret)
{
	if (!is_kept(context))
		return false;
	for (size_t i = 0; i < memo.n; i++) {
		struct piece *p = &memo.pieces[i];

		if (address < p->address || size > p->size || address - p->address > p->size - size)
			continue;
		p->used = ++memo.uses;
		memcpy(ret, memo.bytes[i] + (address - p->address), size);
		return true;
	}
	return false;
}

void memo_add(const ompd_address_space_context_t *context, ompd_addr_t address, size_t size, const void *bytes)
{
	size_t place = 0;

	if (!is_kept(context) || !size || size > MAX_SIZE)
		return;
	if (memo.n < MAX_PIECES) {
		place = memo.n++;
	} else {
		for (size_t i = 1; i < MAX_PIECES; i++) {
			if (memo.pieces[i].used < memo.pieces[place].used)
				place = i;
		}
	}
	memo.context = context;
	memo.pieces[place] = (struct piece){.address = address, .used = ++memo.uses, .size = size};
	memcpy(memo.bytes[place], bytes, size);
}
