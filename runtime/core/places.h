/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Places and how threads are put on them (OpenMP 5.2, 10.1.3). A place has a number from 0; struct thread has that + 1.
 */
#ifndef OMPDD_RUNTIME_CORE_PLACES_H
#define OMPDD_RUNTIME_CORE_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/places_parse.h"

struct thread;

/* place-partition-var of the initial thread: all of them. n 0: threads are not bound. Set once, at start. */
extern struct place_list places;

/* Values of bind-var and of the clause; omp_proc_bind_t. */
enum bind { BIND_FALSE, BIND_TRUE, BIND_PRIMARY, BIND_CLOSE, BIND_SPREAD };

/* Where a thread is, and which places its own teams may use. */
struct placement {
	uint32_t place;	     /* number + 1; 0: not bound */
	uint32_t first, len; /* its partition */
};

/* What @t has now. */
struct placement placement_of(const struct thread *t);

/*
 * Where member @thread_num of a team of @n_threads goes, whose primary thread was at @primary when it met the
 * construct. Member 0 gets its own too: with BIND_SPREAD its partition becomes smaller for the time of the region.
 */
struct placement places_assign(enum bind bind, struct placement primary, uint32_t n_threads, uint32_t thread_num);

/* Put the calling thread there, which is @t. No system call when it is there already. */
void places_bind(struct thread *t, struct placement where);

/*
 * A root thread's first look at places: it is put on the first one and may use all. Nothing when there are none, or
 * when it is bound already.
 */
void places_bind_root(struct thread *t);

#endif
