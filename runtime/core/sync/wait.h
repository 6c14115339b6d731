/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How threads wait: they spin with pauses, then yield the CPU now and then, then sleep (core/sync/sleep.h). All waits
 * share this code and behave alike.
 *
 * A thread learns how long to spin before it yields. A yield that takes much longer than the shortest ones has let
 * another thread run. The CPU is needed then, maybe by the awaited thread, so the next waits spin less. After a short
 * yield they spin more. This needs no knowledge of CPUs, other programs and the scheduler.
 *
 * If other programs are busy, a yield gives them the CPU for milliseconds, while a sleeping thread gets it back soon
 * after its wake. Such a long yield is recognizable: a waiting thread of ours would not keep the CPU that long, and a
 * computing one justifies a sleep as well. After it a thread sleeps early for a few times the lost time. If the yield
 * after that is long as well, this time grows until the lost time is a small part of it; longer with more threads than
 * CPUs. If each thread can have a CPU, the thread first pauses for a moment. A sleep costs more, above all for its
 * waker, whose share of a contended CPU it uses up. The pause helps only if all threads do it, so a thread does not
 * judge it by its own sleeps. With more threads than CPUs it would delay threads that have not arrived.
 *
 * The kernel may leave threads that yield to each other on one CPU, although others are idle. So if each thread can
 * have a CPU, a thread that has shared its own for some time moves to another.
 */
#ifndef OMPDD_RUNTIME_CORE_SYNC_WAIT_H
#define OMPDD_RUNTIME_CORE_SYNC_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/state/thread.h"
#include "os/spin.h"

struct waiter {
	uint32_t round; /* pauses before the first yield */
	uint32_t yields;
	uint16_t pauses, left; /* until the next yield */
	bool has_lingered;     /* it has paused before it sleeps */
};

/* Applies the wait policy. Called once, by the library's constructor. */
void wait_init(void);

bool wait_step_slow(struct waiter *w, struct thread *t) __attribute__((cold));

/*
 * Call it in a loop whose condition is false. Pauses or yields. Once it returns false, it always does: sleep, or yield
 * if sleeping is impossible.
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
 * As wait_step(), for threads that wait for their turn. @is_next: the previous thread has its turn now, so this
 * thread's turn may come soon. Otherwise, with more threads than CPUs, that thread may need this CPU.
 */
bool wait_step_turn(struct waiter *w, bool is_next);

/* Something happened, but not the awaited event: start again. */
static inline void waiter_reset(struct waiter *w)
{
	*w = (struct waiter){0};
}

/*
 * Another thread has taken a construct before this one, @t. If that also happened a moment ago, the two compete for
 * the construct's memory each time. After a short pause the other is ahead, and they do not meet for some time. After
 * a barrier they start together anyway.
 */
void wait_fall_back(struct thread *t);

/* Returns whether more threads want a CPU than exist. */
bool wait_is_crowded(void);
/* The first value of thread.spins. */
uint32_t wait_first_spins(void);

/* In the child of fork(): no thread sleeps. */
void wait_forget_others(void);

/* The calling thread starts to sleep (@change 1), or is awake again (-1). */
void wait_count_asleep(int change);

#endif
