/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Worksharing constructs of a team that share state: loops, sections, copyprivate singles, scopes. Each thread meets
 * them in the same order, but not at the same time. They are numbered; a block holds the state of a few in succession,
 * blocks form a list. The first thread that comes to a construct fills it in; nothing has to be written when it is
 * left: a block is free again when all threads have gone on to the next one. So nobody waits for a slow thread, however
 * far it is behind.
 */
#ifndef OMPDD_RUNTIME_CORE_WORKSHARE_H
#define OMPDD_RUNTIME_CORE_WORKSHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/icv.h"
#include "os/spin.h"

struct doacross;
struct team;
struct thread;
struct workshare_block;

/* How iterations are given out (core/loop). */
enum loop_kind {
	LOOP_STATIC,	    /* one part for each thread */
	LOOP_STATIC_CHUNKS, /* chunks in turn */
	LOOP_WHOLE,	    /* a team of one: all at once */
	LOOP_DYNAMIC,	    /* monotonic: one counter of chunks */
	LOOP_GUIDED,	    /* monotonic: one counter of iterations */
	LOOP_RANGES, /* nonmonotonic dynamic: a range for each thread, from which idle ones steal (core/ranges) */
	LOOP_RANGES_GUIDED, /* the same; takes a part of what is left of the range */
};

/* Iterations are counted from 0 here, so that signed and unsigned loops, up and down, are the same. */
struct workshare {
	/* Read by all: filled in by the first that comes. */
	uint64_t
		tag; /* atomic: 2 * number - 1: it is being filled in; 2 * number: it is there; less: of an older one */
	union {
		uint64_t start; /* the value of iteration i is start + i * incr, modulo 2^64 */
		void *data;	/* copyprivate: what the one thread gives to the others */
	};
	uint64_t incr;
	uint64_t end;	/* the value that ends the loop: at least one beyond the last, or the one past it */
	uint64_t n;	/* iterations */
	uint64_t chunk; /* at least 1 */
	uint8_t kind;	/* enum loop_kind */
	uint8_t ordered;
	uint8_t shift;	   /* of core/ranges */
	uint8_t work;	   /* ompt_work_t */
	uint16_t round;	   /* of core/ranges */
	uint16_t n_ranges; /* of core/ranges */
	/*
	 * LOOP_DYNAMIC: chunks; LOOP_GUIDED: iterations; LOOP_RANGES*: 1 when the last unit is taken; atomic. Here, and
	 * not on a line of its own, because a thread reads the rest once only, and one that comes late sees at once
	 * that nothing is left.
	 */
	uint64_t taken;

	uint64_t turn
		__attribute__((aligned(CACHE_LINE))); /* ordered: the iteration whose chunk has its turn; atomic */
	uint32_t turn_sleepers;			      /* who sleep on it; atomic */
	uint32_t data_sleepers;			      /* copyprivate: who sleep on `tag` until it is there; atomic */

	/* Few constructs have these. */
	uintptr_t *reductions; /* of task reductions: what the first registered (core/reduction) */
	void *memory;	       /* zeroed for each construct that asks for it; stays with the struct */
	size_t memory_size;
	struct doacross *doacross; /* stays with the struct */
	char *ranges;		   /* of core/ranges: a line for each thread; stays with the struct */
	uint32_t ranges_room;	   /* threads for which it is */
} __attribute__((aligned(CACHE_LINE)));

enum loop_order { LOOP_ANY_ORDER, LOOP_ORDERED, LOOP_DOACROSS };

/* A thread's part of a loop, in its struct member. What is in `struct workshare`, again, so as to read one line only.
 */
struct loop {
	uint64_t next, stop; /* iterations that are this thread's already */
	uint64_t start, incr, end, n, chunk;
	uint64_t unit;	   /* LOOP_RANGES*: iterations */
	uint64_t n_chunks; /* LOOP_STATIC_CHUNKS, LOOP_DYNAMIC; LOOP_RANGES*: units */
	uint64_t trip;	   /* LOOP_STATIC*: number of its next part */
	uint8_t kind;
	bool is_over;	  /* nothing more is for this thread */
	uint16_t round;	  /* of core/ranges */
	uint8_t in_order; /* enum loop_order: somebody may wait for the end of each chunk */
	/* ordered: the chunk at hand. */
	uint64_t chunk_begin, chunk_end;
	uint64_t n_regions;	    /* ordered regions that it has executed in it; all: the turn is passed on */
	struct doacross_flag *flag; /* of the chunk at hand (core/doacross) */
	/* Of which a tool was told (tools/ompt_work.c): ompt_work_t, 0: none; and where the program met it. */
	uint8_t work;
	const void *return_address;
};

/* A thread's place among the constructs of its region, in its struct member. */
struct share {
	struct workshare_block *block; /* NULL: it has met none yet */
	struct workshare *ws;	       /* the one that it is in, or was in last */
	uint64_t number;	       /* of that */
	uint32_t index;		       /* of the next in the block */
	uint64_t n_singles;	       /* met in this region */
	uint64_t n_singles_taken;      /* by anybody, as far as it knows */
	struct loop loop;
};

/* All constructs of one team. */
struct workshares {
	struct workshare_block *first; /* the oldest that a member may be in, or come to */
	struct workshare_block *free;  /* atomic stack: pushed one by one, taken all at once */
	uint64_t base;		       /* the last number of the regions before */
	struct workshare *solo;	       /* for teams of one thread; NULL: not needed yet */
	bool has_big_memory;	       /* workshare_memory() gave some that should not stay; atomic */
	/* Single constructs that somebody has taken in this region (core/single). */
	uint64_t n_singles __attribute__((aligned(CACHE_LINE)));
};

/* What a construct is like. */
struct workshare_setup {
	uint32_t schedule; /* SCHEDULE_STATIC, _DYNAMIC or _GUIDED, | SCHEDULE_MONOTONIC */
	bool ordered;
	uint8_t work;		      /* ompt_work_t */
	uint64_t start, incr, end, n; /* as in struct workshare */
	uint64_t chunk;		      /* 0: default */
};

/* All zero is a team without constructs yet. Called when the team is freed. */
void workshares_deinit(struct workshares *shares);
/*
 * The primary thread, when its team is set up: the region begins in a construct, which workshare_join() enters
 * (combined parallel loops and sections). Regions that do not begin so need no call.
 */
void workshares_begin(struct thread *primary, const struct workshare_setup *setup);
/* The primary thread, when all members have left the region; if share_was_used() by itself, or the region was
 * cancelled. */
void workshares_end_slow(struct team *team);

/* A thread becomes a member of a region. */
static inline void share_begin(struct share *share)
{
	share->block = NULL;
	share->ws = NULL;
	share->n_singles = 0;
	share->n_singles_taken = 0;
	share->loop.in_order = 0;
}

/* Whether it has met a construct. */
static inline bool share_was_used(const struct share *share)
{
	return share->block || share->n_singles;
}

/* Enter the construct of workshares_begin(); each member, before it calls the region's function. */
void workshare_join(struct thread *t);

/*
 * Enter the next construct. True: the caller is the first; it must fill in the struct and call workshare_publish().
 * False: it is there, filled in.
 */
bool workshare_enter(struct thread *t);
/* The same, but false is returned although it is not there: for constructs which the first publishes late
 * (copyprivate). */
bool workshare_enter_nowait(struct thread *t);
/* Whether the construct that the thread entered was published; acquire. */
bool workshare_is_there(struct thread *t);
void workshare_publish(struct thread *t);
/*
 * @size bytes of zeroed memory for the construct that @t is in, on cache lines of its own. It stays until all threads
 * have left the construct. Called by the first.
 */
void *workshare_memory(struct thread *t, size_t size);

/* The line of thread @i: see core/ranges. */
static inline uint64_t *workshare_range(const struct workshare *ws, uint32_t i)
{
	return (uint64_t *)(ws->ranges + (size_t)i * CACHE_LINE);
}

#endif
