/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The worksharing constructs of a region: the way to the next one, its publication, and its memory. */
#ifndef OMPDD_RUNTIME_CORE_LOOP_WORKSHARE_H
#define OMPDD_RUNTIME_CORE_LOOP_WORKSHARE_H

#include <stdbool.h>
#include <stddef.h>

struct team;
struct thread;
struct workshares;

/* All zero is a team without constructs. Called when the team is freed. */
void workshares_deinit(struct workshares *shares);
/*
 * Called by the primary thread after all members have left the region, if share_was_used() is true for itself, or the
 * region was cancelled.
 */
void workshares_end_slow(struct team *team);
/*
 * For a region that starts in a construct. The primary thread calls workshares_open() while it sets up the team, and
 * fills in the struct that is returned. Each member enters the construct by workshare_enter_open().
 */
struct workshare *workshares_open(struct thread *primary);
void workshare_enter_open(struct thread *t);

/*
 * Enters the next construct. Returns true for the first thread, which must fill in the struct and call
 * workshare_publish(). Returns false once the struct is complete.
 */
bool workshare_enter(struct thread *t);
/*
 * As workshare_enter(), but false is returned before the struct is complete, for constructs that the first thread
 * publishes late (copyprivate).
 */
bool workshare_enter_nowait(struct thread *t);
/* Returns whether the thread's construct was published; acquire. */
bool workshare_is_there(struct thread *t);
void workshare_publish(struct thread *t);
/*
 * Returns @size bytes of zeroed memory for the construct of @t, on cache lines of its own. It stays until all threads
 * have left the construct. Called by the first thread.
 */
void *workshare_memory(struct thread *t, size_t size);

#endif
