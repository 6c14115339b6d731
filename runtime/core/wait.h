/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How threads wait: spin with pause, then yield the CPU now and again, then sleep (core/sleep.h). One place, so that
 * all waits behave alike.
 *
 * How long a thread spins before it yields is learnt: a yield that takes much longer than the shortest ones has let
 * another thread run, so this CPU has more to do than to wait, and the thread to wait for may be on it. Then the thread
 * spins less the next times; after a quick yield, more. So nothing need be known of CPUs, other programs and where the
 * kernel puts threads.
 *
 * Where other programs have something to do, a yield gives them the CPU for milliseconds, while a thread that sleeps
 * has it back soon after it is woken. That shows, too: no thread of ours that only waits as well would keep the CPU so
 * long, and if one computes, that is worth a sleep. After such a yield a thread sleeps soon, until what it has lost is
 * little of the time gone by; with more threads than CPUs for longer. It pauses for a moment before, as a sleep costs
 * more: most of all whoever ends it, who for that time uses up what the kernel lets him have of a CPU that others want.
 * That only helps if all do it, so whether it has spared this thread a sleep says nothing. The more threads there are
 * for a CPU, the shorter it is, as it is in the way of those that are not there yet.
 *
 * The kernel leaves threads that yield to each other on one CPU for long, although others are idle. So where there is a
 * CPU for each thread, one that has shared its own for some time goes to another.
 */
#ifndef OMPDD_RUNTIME_CORE_WAIT_H
#define OMPDD_RUNTIME_CORE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/thread.h"
#include "os/spin.h"

#define WAIT_SPINS 200 /* pauses before the first yield, at most; a few microseconds */

struct waiter {
	uint32_t round; /* pauses before the first yield */
	uint32_t yields;
	uint16_t pauses, left; /* until the next yield */
	bool has_lingered;     /* it has paused before it sleeps */
};

/* By the wait policy. Called once, by the library's constructor. */
void wait_init(void);

bool wait_step_slow(struct waiter *w, struct thread *t) __attribute__((cold));

/*
 * Call in a loop whose condition did not hold: pauses or yields. False, and from then on always: it is time to sleep,
 * or to yield if one cannot.
 */
static inline bool wait_step(struct waiter *w)
{
	struct thread *t = thread_peek();

	if (likely(w->round < t->spins)) {
		w->round++;
		spin_pause();
		return true;
	}
	return wait_step_slow(w, t);
}

/*
 * The same for threads that wait for their turn. @is_next: the one before has it now, so it may come at any moment. If
 * not, and there are more threads than CPUs, that one may need this CPU.
 */
bool wait_step_turn(struct waiter *w, bool is_next);

/* Something happened, but not what is waited for: begin again. */
static inline void waiter_reset(struct waiter *w)
{
	*w = (struct waiter){0};
}

/*
 * Another thread has taken a construct before this one, @t. If the same was so a moment ago, the two run neck and neck,
 * and take its memory from each other at each construct: after a short pause the other is ahead, and it is not so again
 * for some time. Behind a barrier they begin together anyway.
 */
void wait_fall_back(struct thread *t);

/* Whether more threads want a CPU than there are. */
bool wait_is_crowded(void);
/* thread.spins of a thread that has learnt nothing yet. */
uint32_t wait_first_spins(void);

/* In the child of fork(): no thread sleeps. */
void wait_forget_others(void);

/* The calling thread begins to sleep (@change 1), or is awake again (-1). */
void wait_count_asleep(int change);

#endif
