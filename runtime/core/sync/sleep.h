/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* clang-format off */
/*
 * Going to sleep, and waking sleepers, such that neither side misses the other. All waits for a value that another
 * thread stores end here: barriers, seats, turns, tasks. (A lock needs none of this: waiting, sleeping and waking use
 * one word.)
 *
 *	the sleeper				the changer
 *	1. announce: store to a word `said`	a. store the change
 *	2. sleep_prepare()			b. sleep_is_said(): does a thread sleep?
 *	3. check once more for the change	c. if so: change the word of step 4, and wake
 *	4. sleep_on() a word, if unchanged
 *	5. withdraw the announcement
 *
 * Changes are frequent and on the program's critical path. Sleeps are rare and take long. So the changer only stores
 * and loads, without a fence in between. The sleeper makes up for that: in step 2 it makes all threads execute a fence.
 * (Frequent sleeps are handled differently, see below.)
 *
 * Claim 1: one side sees the other. It cannot happen that step 3 misses a while b misses step 1. As a litmus test, for
 * any processor (the kernel's memory model has the same test: SB with membarrier on one side):
 *
 *	P0: STR said, 1; membarrier(); LDR r0, what		P1: STR what, 1; LDR r1, said
 *	forbidden: r0 == 0 and r1 == 0
 *
 * membarrier() is a full fence F0, then a fence F1 at some point of P1's program, then another fence F0'. In time, F1
 * is after F0 and before F0': the kernel interrupts P1's CPU and awaits the answer. (If P1 has no CPU, F1 is part of
 * the switch that took the CPU away or will give it back.) The program order of P1 is a, b. The compiler keeps it,
 * because sleep_is_said() starts with a compiler fence. An interrupt falls between two instructions: earlier ones are
 * done or in the store buffer, later ones have not started, whatever the processor speculated.
 *
 *	- F1 before b: `said` was stored before F0, so before F1, so b loads 1. r1 == 1.
 *	- F1 after b, so after a: the change has left the store buffer by F1, so before F0', so step 3 loads it. r0 == 1.
 *
 * No other case exists. It does not matter whether the processor keeps stores in order (x86-64) or not (arm64), nor in
 * which order P1 stored other values. Data that belongs to the change is published by a's release and step 3's acquire,
 * as usual. `said` may be several words, each stored before step 2 and loaded after a.
 *
 * Claim 2: step 4 does not sleep through c. If step 3 missed the change, b sees `said`, so c happens. The kernel
 * compares the word of step 4 and queues the sleeper under one lock. The wake of c takes that lock after the word has
 * changed. So the comparison fails, or the wake finds the sleeper. This needs a word that differs after c: one that c
 * clears (a sleeper's own), one that a has changed, or one that counts the wakes. If c clears `said`, and the next
 * change wakes no thread, the word has to be read before step 1. If the change may be in the half of the word that the
 * kernel does not compare, the sleep needs a time limit.
 *
 * Frequent sleeps reverse the roles. membarrier() interrupts all CPUs that run threads of this process: ten
 * microseconds, and CPU time that other programs may need. So after a sleep, each changer executes its own fence
 * between a and b, which takes some nanoseconds, and each sleeper only its own fence in step 2. This lasts until
 * SLEEP_IS_RARE changes came between two sleeps. `sleep_fences` has the mode: SLEEP_FENCED_ALL, the sleeper fences for
 * all; SLEEP_FENCED_EACH, each fences for itself; SLEEP_FENCED_BOTH, the transition to EACH.
 *
 *	P0: STR said, 1; fence; LDR.acq f0, fences; if f0 != EACH: membarrier(); LDR r0, what
 *	P1: STR what, 1; LDR.acq f1, fences; if f1 != ALL: fence; LDR r1, said
 *	P2: CAS fences, ALL, BOTH; membarrier(); STR.rel fences, EACH		P3: CAS.rel fences, EACH, ALL
 *
 * If f0 is not EACH, this is the test above, which another fence does not harm. If f1 is not ALL, both sides have a
 * fence between store and load, and one sees the other. The remaining case is f0 == EACH and f1 == ALL. ALL was stored
 *
 *	- before the CAS of the P2 whose EACH P0 has read. Then f1 was loaded before F1 of P2's membarrier(), since after
 *	  F1 it would have been BOTH. So `what` was stored before F1 as well. All threads see it before P2 stores EACH,
 *	  and P0, which has read EACH, sees it, too. r0 == 1.
 *	- or by a P3 after that EACH. Then `said` was stored before P0's fence, and f0 was loaded after it and before P3's
 *	  step, which P1 has read before it loads `said`. r1 == 1. (Both processors show a store to all others at once.)
 *
 * Without membarrier() nothing is ordered, and b may miss `said`. Sleeps are short then: the sleeper wakes up by itself
 * and checks again.
 *
 * A sleeping thread counts as such (wait_is_crowded()).
 */
/* clang-format on */
#ifndef OMPDD_RUNTIME_CORE_SYNC_SLEEP_H
#define OMPDD_RUNTIME_CORE_SYNC_SLEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "os/spin.h"

/* The side that executes the fence (atomic). All changes of the program read it, so it has a cache line of its own. */
enum sleep_fences { SLEEP_FENCED_ALL, SLEEP_FENCED_BOTH, SLEEP_FENCED_EACH };
extern uint32_t sleep_fences;
#define SLEEP_IS_RARE 256

/* Step 2. Returns the time limit for the sleep in nanoseconds; 0: no limit. With a limit, no fence was executed. */
uint32_t sleep_prepare(void);
/*
 * Step 4: sleeps while *@word is @expected, for at most @ns nanoseconds (less than a second; 0: no limit), until one
 * of @bits is woken. Returns on a wake, at the time limit, at once if the word differs, or spuriously. It may be used
 * alone to wait for a change of @word itself.
 */
void sleep_on_bits(const uint32_t *word, uint32_t expected, uint32_t bits, uint32_t ns);

/* As sleep_on_bits(), with all bits. */
static inline void sleep_on(const uint32_t *word, uint32_t expected, uint32_t ns)
{
	sleep_on_bits(word, expected, UINT32_MAX, ns);
}

/* The changer's own fence. */
void sleep_fence_slow(void) __attribute__((cold));

/* Step b, immediately after a. For a word of 32 or 64 bits. */
#define sleep_is_said(said)                                                                                            \
	({                                                                                                             \
		__atomic_signal_fence(__ATOMIC_SEQ_CST);                                                               \
		if (unlikely(__atomic_load_n(&sleep_fences, __ATOMIC_ACQUIRE) != SLEEP_FENCED_ALL))                    \
			sleep_fence_slow();                                                                            \
		__atomic_load_n(said, __ATOMIC_RELAXED);                                                               \
	})

/*
 * For a thread that sleeps alone: its own word is 1 while it sleeps, and it sleeps on that word. sleeper_announce() is
 * step 1, sleeper_sleep() is step 4, sleeper_get_up() is step 5. Any thread does b and c by sleeper_wake().
 */
static inline void sleeper_announce(uint32_t *asleep)
{
	__atomic_store_n(asleep, 1, __ATOMIC_RELAXED);
}

static inline void sleeper_sleep(const uint32_t *asleep, uint32_t ns)
{
	sleep_on(asleep, 1, ns);
}

static inline void sleeper_get_up(uint32_t *asleep)
{
	__atomic_store_n(asleep, 0, __ATOMIC_RELAXED);
}

/* In the child of fork(): no thread is about to sleep. */
void sleep_forget_others(void);

void sleeper_wake_slow(uint32_t *asleep) __attribute__((cold));

static inline void sleeper_wake(uint32_t *asleep)
{
	if (unlikely(sleep_is_said(asleep)))
		sleeper_wake_slow(asleep);
}

#endif
