/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The threads of a pool. */
#ifndef OMPDD_RUNTIME_CORE_TEAM_POOL_THREAD_H
#define OMPDD_RUNTIME_CORE_TEAM_POOL_THREAD_H

struct pool;
struct seat;

/* Starts the thread of a new seat. It waits there for its call, like the others. */
void pool_start_thread(struct pool *pool, struct seat *seat);

#endif
