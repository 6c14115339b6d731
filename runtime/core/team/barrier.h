/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The barrier of a team (state/barrier_word.h): arrival, and waiting. Waiting threads run tasks. */
#ifndef OMPDD_RUNTIME_CORE_TEAM_BARRIER_H
#define OMPDD_RUNTIME_CORE_TEAM_BARRIER_H

#include <stdbool.h>

#include "omp-tools.h"

struct team;
struct thread;

/*
 * Waits for the whole team of @t. Meanwhile the thread has state @state, the barrier's address as wait id and the
 * enter frame @frame (as in SITE_HERE(); NULL: not called by the program). The cancellable wait returns true once the
 * region is cancelled.
 */
void barrier_wait(struct thread *t, ompt_state_t state, const void *frame);
bool barrier_wait_cancellable(struct thread *t, ompt_state_t state, const void *frame);

/*
 * The end of a region. Members of a pool report their arrival; @last is barrier_ended() after the last arrival. The
 * primary thread waits for all.
 */
void barrier_end_arrive(struct team *team, uint32_t last);
void barrier_end_wait(struct thread *t, uint32_t last);

#endif
