/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the struct of a construct by its number, publishes it, and manages the blocks of these structs. */
#include "core/loop/workshare.h"

#include <stdlib.h>
#include <string.h>

#include "core/loop/doacross.h"
#include "core/state/thread.h"
#include "core/state/worksharing.h"
#include "omp-tools.h"
#include "os/memory.h"
#include "os/spin.h"

enum {
	SLOTS = 32,		/* constructs per block */
	SPINS = 100,		/* pauses */
	KEPT_BLOCKS = 4,	/* free blocks that a team keeps between regions */
	KEPT_MEMORY = 16 << 10, /* bytes of user memory that a construct's struct keeps */
};

/*
 * Successive constructs. Blocks are small, because a thread that is far ahead creates many.
 *
 * `next` is set once, by compare-and-swap from NULL, when the first thread moves on. Each thread reads it once, with
 * acquire: the new block is zeroed, or all threads have left its old state. Then the thread adds itself to n_left,
 * with acquire and release: the thread that brings n_left to the number of threads knows that none reads the block any
 * more.
 */
struct workshare_block {
	struct workshare_block *next;
	struct workshare_block *next_free;
	uint32_t n_left;
	struct workshare slots[SLOTS];
};

static struct workshare_block *block_create(void)
{
	return memory_zalloc_line(sizeof(struct workshare_block));
}

static void slot_deinit(struct workshare *ws)
{
	free(ws->memory);
	free(ws->ranges);
	doacross_destroy(ws->doacross);
}

static void block_destroy(struct workshare_block *block)
{
	for (uint32_t i = 0; i < SLOTS; i++)
		slot_deinit(&block->slots[i]);
	free(block);
}

static void push_free_block(struct workshares *shares, struct workshare_block *block)
{
	block->next_free = __atomic_load_n(&shares->free, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&shares->free, &block->next_free, block, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
}

/*
 * All blocks are taken at once, so that no other thread can take and return the first one in between. The rest goes
 * back behind blocks that were pushed meanwhile, which are few.
 */
static struct workshare_block *take_free_block(struct workshares *shares)
{
	struct workshare_block *block = NULL;
	struct workshare_block *rest, *none = NULL;

	if (__atomic_load_n(&shares->free, __ATOMIC_RELAXED))
		block = __atomic_exchange_n(&shares->free, NULL, __ATOMIC_ACQUIRE);
	if (!block)
		return block_create();
	rest = block->next_free;
	while (rest &&
	       !__atomic_compare_exchange_n(&shares->free, &none, rest, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		struct workshare_block *more = __atomic_exchange_n(&shares->free, NULL, __ATOMIC_ACQUIRE);

		for (none = more; more; more = more->next_free) {
			if (more->next_free)
				continue;
			more->next_free = rest;
			rest = none;
			break;
		}
		none = NULL;
	}
	block->next = NULL;
	block->n_left = 0;
	return block;
}

/* Returns the block behind @link. Creates it if necessary. */
static struct workshare_block *follow_link(struct workshares *shares, struct workshare_block **link)
{
	struct workshare_block *block = __atomic_load_n(link, __ATOMIC_ACQUIRE);
	struct workshare_block *own;

	if (block)
		return block;
	own = take_free_block(shares);
	if (__atomic_compare_exchange_n(link, &block, own, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return own;
	push_free_block(shares, own);
	return block;
}

/*
 * The thread's first construct of the region: `base` and `first` have the primary thread's values from before the
 * region.
 */
static __attribute__((cold)) void enter_first_block(struct thread *t)
{
	struct workshares *shares = &t->team->workshares;
	struct share *share = &t->member->share;

	share->block = follow_link(shares, &shares->first);
	share->index = 0;
	share->number = shares->base;
}

static __attribute__((noinline)) void enter_next_block(struct thread *t)
{
	struct workshares *shares = &t->team->workshares;
	struct share *share = &t->member->share;
	struct workshare_block *old = share->block;

	share->block = follow_link(shares, &old->next);
	share->index = 0;
	if (__atomic_add_fetch(&old->n_left, 1, __ATOMIC_ACQ_REL) == t->n_threads) {
		/* Members leave blocks in order, so this block is the oldest. A late member has not left it. */
		__atomic_store_n(&shares->first, share->block, __ATOMIC_RELEASE);
		push_free_block(shares, old);
	}
}

static __attribute__((cold)) struct workshare *solo_create(struct workshares *shares)
{
	return shares->solo = memory_zalloc_line(sizeof(struct workshare));
}

static inline struct workshare *get_solo(struct workshares *shares)
{
	return likely(shares->solo != NULL) ? shares->solo : solo_create(shares);
}

/* Returns the slot of the next construct. Not for teams of one. */
static inline struct workshare *take_next_slot(struct thread *t)
{
	struct share *share = &t->member->share;

	if (unlikely(!share->block))
		enter_first_block(t);
	else if (unlikely(share->index == SLOTS))
		enter_next_block(t);
	share->number++;
	return share->ws = &share->block->slots[share->index++];
}

/*
 * Another thread fills the struct in, which takes some ten instructions, seldom an allocation. That is not worth a
 * system call under any wait policy, unless that thread has lost its CPU.
 */
static __attribute__((noinline)) void await_slot(struct thread *t, const struct workshare *ws, uint64_t there)
{
	uint32_t before = state_wait(t, ompt_state_overhead, NULL);

	for (uint32_t i = 0; __atomic_load_n(&ws->tag, __ATOMIC_ACQUIRE) != there; i++) {
		if (i < SPINS)
			spin_pause();
		else
			spin_yield();
	}
	state_restore(t, before);
}

static inline bool enter_construct(struct thread *t, bool wait)
{
	struct workshare *ws;
	uint64_t tag, there;

	if (t->n_threads == 1) {
		t->member->share.ws = get_solo(&t->team->workshares);
		return true;
	}
	ws = take_next_slot(t);
	there = 2 * t->member->share.number;
	/* Acquire, with workshare_publish(): the contents of the struct. Numbers only grow, so an older tag is less. */
	tag = __atomic_load_n(&ws->tag, __ATOMIC_ACQUIRE);
	if (tag < there - 1 &&
	    __atomic_compare_exchange_n(&ws->tag, &tag, there - 1, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
		return true;
	if (wait && unlikely(tag != there))
		await_slot(t, ws, there);
	return false;
}

bool workshare_enter(struct thread *t)
{
	return enter_construct(t, true);
}

bool workshare_enter_nowait(struct thread *t)
{
	return enter_construct(t, false);
}

bool workshare_is_there(struct thread *t)
{
	const struct share *share = &t->member->share;

	return __atomic_load_n(&share->ws->tag, __ATOMIC_ACQUIRE) == 2 * share->number;
}

void workshare_publish(struct thread *t)
{
	const struct share *share = &t->member->share;

	__atomic_store_n(&share->ws->tag, 2 * share->number, __ATOMIC_RELEASE);
}

void *workshare_memory(struct thread *t, size_t size)
{
	struct workshare *ws = t->member->share.ws;

	if (size > KEPT_MEMORY)
		__atomic_store_n(&t->team->workshares.has_big_memory, true, __ATOMIC_RELAXED);
	if (size > ws->memory_size) {
		free(ws->memory);
		ws->memory_size = (size + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1);
		ws->memory = memory_zalloc_line(ws->memory_size);
	} else {
		memset(ws->memory, 0, size);
	}
	return ws->memory;
}

void workshares_deinit(struct workshares *shares)
{
	struct workshare_block *block, *next;

	for (block = shares->first; block; block = next) {
		next = block->next;
		block_destroy(block);
	}
	for (block = shares->free; block; block = next) {
		next = block->next_free;
		block_destroy(block);
	}
	if (shares->solo)
		slot_deinit(shares->solo);
	free(shares->solo);
}

struct workshare *workshares_open(struct thread *primary)
{
	struct workshares *shares = &primary->team->workshares;
	struct workshare *ws;

	if (primary->n_threads == 1)
		return get_solo(shares);
	ws = &follow_link(shares, &shares->first)->slots[0];
	ws->tag = 2 * (shares->base + 1);
	return ws;
}

void workshare_enter_open(struct thread *t)
{
	if (t->n_threads == 1)
		t->member->share.ws = get_solo(&t->team->workshares);
	else
		take_next_slot(t);
}

static void forget_memory(struct workshare *ws)
{
	if (ws->memory_size <= KEPT_MEMORY)
		return;
	free(ws->memory);
	ws->memory = NULL;
	ws->memory_size = 0;
}

static __attribute__((cold)) void forget_big_memory(struct workshares *shares)
{
	shares->has_big_memory = false;
	if (shares->solo)
		forget_memory(shares->solo);
	for (struct workshare_block *block = shares->free; block; block = block->next_free)
		for (uint32_t i = 0; i < SLOTS; i++)
			forget_memory(&block->slots[i]);
	for (uint32_t i = 0; shares->first && i < SLOTS; i++)
		forget_memory(&shares->first->slots[i]);
}

/* All members have left: nothing here needs to be atomic. */
void workshares_end_slow(struct team *team)
{
	struct workshares *shares = &team->workshares;
	struct workshare_block *block, *next;
	uint32_t n_kept = 0;

	/* All members have encountered the same constructs, unless the region was cancelled. */
	for (uint32_t i = 0; i < (team->cancelled ? team->n_threads : 1); i++) {
		const struct share *share = &team->members[i].share;

		if (share->block && share->number > shares->base)
			shares->base = share->number;
	}
	shares->n_singles = 0;
	block = shares->first;
	if (block) {
		for (next = block->next; next; next = block->next) {
			block->next = next->next;
			push_free_block(shares, next);
		}
		block->n_left = 0;
	}
	for (struct workshare_block **link = &shares->free; (block = *link);) {
		if (++n_kept <= KEPT_BLOCKS) {
			link = &block->next_free;
		} else {
			*link = block->next_free;
			block_destroy(block);
		}
	}
	if (unlikely(shares->has_big_memory))
		forget_big_memory(shares);
}
