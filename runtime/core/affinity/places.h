/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Places, and the binding of threads to them (OpenMP 5.2, 10.1.3). Places are numbered from 0. struct thread has the
 * number + 1.
 */
#ifndef OMPDD_RUNTIME_CORE_AFFINITY_PLACES_H
#define OMPDD_RUNTIME_CORE_AFFINITY_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/state/icv.h"
#include "core/state/thread.h"

/* The present placement of @t. */
struct placement placement_of(const struct thread *t);

/*
 * The placement of member @thread_num of a team of @n_threads, whose primary thread had @primary when it encountered
 * the construct. Member 0 gets one as well: BIND_SPREAD makes its partition smaller during the region.
 */
struct placement places_assign(enum bind bind, struct placement primary, uint32_t n_threads, uint32_t thread_num);

/* Binds the calling thread @t. No system call if it is bound there already. */
void places_bind(struct thread *t, struct placement where);

/*
 * Binds a root thread to the first place, with all places as its partition. Does nothing without places, or if it is
 * bound.
 */
void places_bind_root(struct thread *t);

#endif
