/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A small cache of the target's memory: the least recently used piece is replaced. */
#include "memo.h"

#include <stdint.h>
#include <string.h>

/* Enough for the thread, task, team and lists that one chain of calls reads; few enough for a linear search. */
#define MAX_PIECES 16
/* Longer pieces are not cached: no structure of a runtime is longer. */
#define MAX_SIZE 1024

struct piece {
	ompd_addr_t address;
	size_t size;
	uint8_t *bytes; /* one of memo.bytes */
};

static struct {
	const ompd_address_space_context_t *context; /* the process that the pieces belong to */
	const ompd_address_space_context_t *view;    /* the process that the tool has started a view of, or NULL */
	uint64_t moment;
	size_t n;
	struct piece pieces[MAX_PIECES]; /* most recently used first */
	uint8_t bytes[MAX_PIECES][MAX_SIZE];
} memo;

void memo_forget(void)
{
	memo.n = 0;
	memo.moment++;
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

uint64_t memo_moment(const ompd_address_space_context_t *context)
{
	return memo.view && context == memo.view ? memo.moment : 0;
}

/* Move @piece to the front. It is number @i, or replaces it. */
static void move_first(size_t i, struct piece piece)
{
	for (; i > 0; i--)
		memo.pieces[i] = memo.pieces[i - 1];
	memo.pieces[0] = piece;
}

/* During a view of one process, memory of other processes is not cached. */
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
		const struct piece *p = &memo.pieces[i];

		/* For an address below the piece this difference wraps around and exceeds any size. */
		if (address - p->address > p->size || p->size - (address - p->address) < size)
			continue;
		memcpy(ret, p->bytes + (address - p->address), size);
		if (i)
			move_first(i, *p);
		return true;
	}
	return false;
}

void memo_add(const ompd_address_space_context_t *context, ompd_addr_t address, size_t size, const void *bytes)
{
	struct piece piece = {.address = address, .size = size};

	if (!is_kept(context) || !size || size > MAX_SIZE)
		return;
	piece.bytes = memo.n < MAX_PIECES ? memo.bytes[memo.n++] : memo.pieces[MAX_PIECES - 1].bytes;
	memcpy(piece.bytes, bytes, size);
	memo.context = context;
	move_first(memo.n - 1, piece);
}
