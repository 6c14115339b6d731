/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Worksharing constructs of a team: loops, sections, scopes. Each thread meets them in the same order, but not at the same
 * time; they form a list, in which the first thread that comes makes the next one and the last that leaves frees it.
 */
#ifndef OMPDD_RUNTIME_CORE_WORKSHARE_H
#define OMPDD_RUNTIME_CORE_WORKSHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/icv.h"
#include "os/spin.h"

struct doacross; /* core/doacross */
struct thread;
struct workshare;

#define WORKSHARES_INLINE 8

/* The list of one team. */
struct workshares {
	struct workshare *first;  /* before the first construct of the region */
	struct workshare *free;	  /* core/workshare.c */
	struct workshare *inline_ws; /* WORKSHARES_INLINE of them, made with the team */
};

struct workshare {
	struct workshare *next;	/* atomic; see core/workshare.c for who may set it */
	uint32_t schedule;	/* enum schedule, | SCHEDULE_MONOTONIC; sections are SCHEDULE_DYNAMIC */
	uint32_t is_ull;
	uint32_t n_left;	/* threads that have left it; atomic */
	uint32_t ordered;
	/* Loops: [start, end) by step `incr`; unsigned ones in the same words. */
	int64_t start, end, incr;
	int64_t chunk;
	uint64_t n_iterations;
	uint64_t next_iteration __attribute__((aligned(CACHE_LINE))); /* taken so far; atomic */
	/* ordered: whose turn it is (core/ordered). */
	uint64_t turn __attribute__((aligned(CACHE_LINE)));
	uint32_t turn_sleepers;
	void *ordered_data;
	struct doacross *doacross;
	void *reductions;	/* memory of `reduction(task, ...)`, scan buffers ("mem" of GOMP_loop_start) */
	uint64_t mem_size;
};

/* What the first thread fills in. */
struct workshare_setup {
	uint32_t schedule;
	bool is_ull, ordered;
	bool up;	   /* of unsigned loops: direction */
	int64_t start, end, incr, chunk;
};

/*
 * Enter the next construct. True: the caller is the first; it must fill in the struct (t->ws) and call workshare_publish().
 * False: it is there, filled in.
 */
bool workshare_enter(struct thread *t);
void workshare_publish(struct thread *t);
/* Fill in a loop or sections. */
void workshare_prepare(struct workshare *ws, const struct workshare_setup *setup, uint32_t n_threads);
/* The thread is done with it; no barrier. */
void workshare_leave(struct thread *t);

#endif
