/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The pools of a thread: creation for a region, and end. */
#ifndef OMPDD_RUNTIME_CORE_TEAM_POOL_H
#define OMPDD_RUNTIME_CORE_TEAM_POOL_H

#include <stdint.h>

struct thread;
struct team;

/* Returns the pool of @t for its next region, with a team for @n_threads and as many seats. */
struct pool *pool_prepare(struct thread *t, uint32_t n_threads);
/* Ends all threads of the pool and of its inner pools. The pool is freed after the last has ended. */
void pool_destroy(struct pool *pool);
/* Frees the pool in the child of fork(), where its threads do not exist. */
void pool_forget(struct pool *pool);
/* Waits until no thread in a seat looks for tasks of @team's region any more. */
void pool_wait_helpers(struct team *team);

/* Drops one of pool->references. The last one frees the pool. */
void pool_release(struct pool *pool);

#endif
