/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Worksharing constructs of a team with shared state: loops, sections, copyprivate singles, scopes. All threads
 * encounter them in the same order, at different times. They are numbered. A block holds the states of several
 * successive constructs; blocks form a list. The first thread at a construct fills in its struct. Leaving it needs no
 * store: a block is free again when all threads have moved on to the next one. So no thread waits for a slow one,
 * however late it is.
 */
#ifndef OMPDD_RUNTIME_CORE_STATE_WORKSHARING_H
#define OMPDD_RUNTIME_CORE_STATE_WORKSHARING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/spin.h"

struct doacross;
struct workshare_block;

/* The distribution of iterations (core/loop). */
enum loop_kind {
	LOOP_STATIC,	    /* one part for each thread */
	LOOP_STATIC_CHUNKS, /* chunks in turn */
	LOOP_WHOLE,	    /* a team of one: all at once */
	LOOP_DYNAMIC,	    /* monotonic: one counter of chunks */
	LOOP_GUIDED,	    /* monotonic: one counter of iterations */
	LOOP_RANGES, /* nonmonotonic dynamic: a range per thread, from which idle threads steal (core/loop/ranges) */
	LOOP_RANGES_GUIDED, /* the same; takes a part of the range's rest */
};

/* Iterations are counted from 0 here: signed and unsigned loops, up and down, are alike. */
struct workshare {
	/* Read by all members. The first one to arrive fills it in. */
	uint64_t tag; /* atomic; 2 * number - 1: being filled in; 2 * number: complete; less: of an older construct */
	union {
		uint64_t start; /* the value of iteration i is start + i * incr, modulo 2^64 */
		void *data;	/* copyprivate: the data that one thread passes to the others */
	};
	uint64_t incr;
	uint64_t end;	/* the value that ends the loop: at least one beyond the last, or the value after it */
	uint64_t n;	/* iterations */
	uint64_t chunk; /* at least 1 */
	uint8_t kind;	/* enum loop_kind */
	uint8_t ordered;
	uint8_t shift;	   /* of core/loop/ranges */
	uint8_t work;	   /* ompt_work_t */
	uint16_t round;	   /* of core/loop/ranges */
	uint16_t n_ranges; /* of core/loop/ranges */
	/*
	 * LOOP_DYNAMIC: chunks; LOOP_GUIDED: iterations; LOOP_RANGES*: 1 once the last unit is taken; atomic. It
	 * shares a line with the fields above, because a thread reads those only once, and a late thread sees at once
	 * that nothing is left.
	 */
	uint64_t taken;

	uint64_t turn
		__attribute__((aligned(CACHE_LINE))); /* ordered: the iteration whose chunk has its turn; atomic */
	uint32_t turn_sleepers;			      /* threads that sleep on it; atomic */
	uint32_t data_sleepers; /* copyprivate: threads that sleep on `tag` until the data has arrived; atomic */

	/* Rarely used. */
	uintptr_t *reductions; /* of task reductions: the array of the first thread (core/task/reduction) */
	void *memory;	       /* zeroed for each construct that requests it; stays with the struct */
	size_t memory_size;
	struct doacross *doacross; /* stays with the struct */
	char *ranges;		   /* of core/loop/ranges: a line for each thread; stays with the struct */
	uint32_t ranges_room;	   /* number of threads that it has room for */
} __attribute__((aligned(CACHE_LINE)));

enum loop_order { LOOP_ANY_ORDER, LOOP_ORDERED, LOOP_DOACROSS };

/*
 * A thread's part of a loop, in its struct member. It repeats fields of struct workshare, so that only one line is
 * read.
 */
struct loop {
	uint64_t next, stop; /* iterations that are assigned to this thread */
	uint64_t start, incr, end, n, chunk;
	uint64_t unit;	   /* LOOP_RANGES*: iterations */
	uint64_t n_chunks; /* LOOP_STATIC_CHUNKS, LOOP_DYNAMIC; LOOP_RANGES*: units */
	uint64_t trip;	   /* LOOP_STATIC*: number of its next part */
	uint8_t kind;
	bool is_over;	  /* nothing more is assigned to this thread */
	uint16_t round;	  /* of core/loop/ranges */
	uint8_t in_order; /* enum loop_order: other threads may wait for the end of each chunk */
	/* ordered: the thread's chunk. */
	uint64_t chunk_begin, chunk_end;
	uint64_t n_regions;	    /* executed ordered regions of the chunk; all of them: the turn was passed on */
	struct doacross_flag *flag; /* of the thread's chunk (core/loop/doacross) */
	/* For a tool (tools/ompt_work.c): the ompt_work_t that was reported, 0: none; and the call site. */
	uint8_t work;
	const void *return_address;
};

/* A thread's place among the constructs of its region, in its struct member. */
struct share {
	struct workshare_block *block; /* NULL: it has encountered none yet */
	struct workshare *ws;	       /* its present construct, or the last one */
	uint64_t number;	       /* number of that construct */
	uint32_t index;		       /* index of the next construct in the block */
	uint64_t n_singles;	       /* encountered in this region */
	uint64_t n_singles_taken;      /* taken by any thread, as far as this one knows */
	struct loop loop;
};

/* All constructs of one team. */
struct workshares {
	struct workshare_block *first; /* the oldest block that a member may be in, or reach */
	struct workshare_block *free;  /* atomic stack: pushed one by one, taken as a whole */
	uint64_t base;		       /* the last number of earlier regions */
	struct workshare *solo;	       /* for teams of one thread; NULL: not needed yet */
	bool has_big_memory;	       /* workshare_memory() returned memory that should not be kept; atomic */
	/* Single constructs taken by any thread in this region (core/loop/single). */
	uint64_t n_singles __attribute__((aligned(CACHE_LINE)));
};

/* The properties of a construct. */
struct workshare_setup {
	uint32_t schedule; /* SCHEDULE_STATIC, _DYNAMIC or _GUIDED, | SCHEDULE_MONOTONIC */
	bool ordered;
	uint8_t work;		      /* ompt_work_t */
	uint64_t start, incr, end, n; /* as in struct workshare */
	uint64_t chunk;		      /* 0: default */
};

/* A thread becomes a member of a region. */
static inline void share_begin(struct share *share)
{
	share->block = NULL;
	share->ws = NULL;
	share->n_singles = 0;
	share->n_singles_taken = 0;
	share->loop.in_order = 0;
}

/* Returns whether the thread has encountered a construct. */
static inline bool share_was_used(const struct share *share)
{
	return share->block || share->n_singles;
}

/* The line of thread @i: see core/loop/ranges. */
static inline uint64_t *workshare_range(const struct workshare *ws, uint32_t i)
{
	return (uint64_t *)(ws->ranges + (size_t)i * CACHE_LINE);
}

/* The number of steps @step in @distance, which is not 0. */
static inline uint64_t loop_count(uint64_t distance, uint64_t step)
{
	return step == 1 ? distance : (distance - 1) / step + 1;
}

#endif
