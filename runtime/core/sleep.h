/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Going to sleep, and waking who sleeps, so that neither misses the other. All waits of the runtime for something that
 * is stored elsewhere end here: barriers, seats, turns, tasks. (Who waits for a lock looks, sleeps and is woken by one
 * word, where none of this is needed.)
 *
 *	who sleeps				who changes what he waits for
 *	1. says so: stores to a word `said`	a. stores the change
 *	2. sleep_prepare()			b. sleep_is_said(): does somebody sleep?
 *	3. looks once more for the change	c. if so: changes the word of 4, and wakes
 *	4. sleep_on() a word, if it is as it was
 *	5. says so no more
 *
 * Changes are many, and on the program's critical path; sleeps are few, and take long. So who changes only stores and
 * loads, without a fence between, and who sleeps makes up for it: in step 2 he has all threads execute one.
 * (It is otherwise where sleeps are frequent: see below.)
 *
 * Why one of them sees the other. It must not be that 3 does not see a, while b does not see 1. Here it is as a litmus
 * test, for any processor (the kernel's memory model has the same: SB with membarrier on one side):
 *
 *	P0: STR said, 1; membarrier(); LDR r0, what		P1: STR what, 1; LDR r1, said
 *	forbidden: r0 == 0 and r1 == 0
 *
 * membarrier() is a full fence F0, then one, F1, at some point of P1's program, then one more, F0': F1 comes after F0
 * and before F0' in time, as the kernel sends P1's CPU an interrupt and awaits its answer. (If P1 has no CPU, F1 is
 *that of the switch which gave it away, or will give it one.) P1's program order is a, b: the compiler keeps it, as
 * sleep_is_said() begins with a fence for the compiler, and an interrupt falls between two instructions: what is before
 * is done or in the store buffer, what is behind is not begun, whatever the processor had guessed.
 *
 *	- F1 before b: `said` was stored before F0, so before F1, so b loads 1. r1 == 1.
 *	- F1 behind b, so behind a: the change is out of the store buffer by F1, so before F0', so 3 loads it. r0 == 1.
 *
 * There is no third case. It does not matter whether stores are seen in order (x86-64) or not (arm64), nor in which
 * order P1 stored other things; what comes with the change is published by a's release and 3's acquire, as without any
 * of this. `said` may be several words, each stored before 2 and looked at behind a.
 *
 * Why 4 does not sleep through c. If 3 has not seen the change, b sees `said`, so c happens. The kernel compares the
 * word of 4 with what it was and queues the sleeper, both under one lock, which c's wake takes after the word has been
 * changed: either the comparison fails, or the wake finds the sleeper. This needs a word that differs behind c: one
 * that c clears (a sleeper's own), one that a changed, or one that counts the wakes. If c clears `said`, so that the
 * next wakes nobody, the word has to be read before 1. Where the change may be in the half of the word at which the
 * kernel does not look, the sleep has to have an end.
 *
 * When sleeps are frequent, it is the other way round. membarrier() interrupts all CPUs that run threads of ours: ten
 * microseconds, and CPU time that is missed where other programs want it, too. So from a sleep on who changes has a
 * fence of his own between a and b, some nanoseconds, and the next who sleep only the same in step 2; until
 * SLEEP_IS_RARE changes came between two sleeps. `sleep_fences` tells both: SLEEP_FENCED_ALL, by whoever sleeps for
 * all, SLEEP_FENCED_EACH, by each for himself, and on the way to there SLEEP_FENCED_BOTH.
 *
 *	P0: STR said, 1; fence; LDR.acq f0, fences; if f0 != EACH: membarrier(); LDR r0, what
 *	P1: STR what, 1; LDR.acq f1, fences; if f1 != ALL: fence; LDR r1, said
 *	P2: CAS fences, ALL, BOTH; membarrier(); STR.rel fences, EACH		P3: CAS.rel fences, EACH, ALL
 *
 * If f0 is not EACH, that is the test above, which a fence more does not harm. If f1 is not ALL, both have a fence
 * between store and load, and one sees the other. What is left is f0 == EACH and f1 == ALL; that ALL was stored
 *
 *	- before the CAS of the P2 whose EACH P0 has read: then f1 was loaded before the F1 of P2's membarrier(), as it
 *	  would have been BOTH behind it; so `what` was stored before F1 as well, is seen by all before P2 stores EACH,
 *	  and P0, who has read that, sees it, too. r0 == 1.
 *	- by a P3 behind that EACH: `said` was stored before P0's fence, f0 loaded behind it and before P3's step, which
 *	  P1 has read before he loads `said`. r1 == 1. (Both processors show a store to all others at one moment.)
 *
 * If there is no membarrier(), nothing was ordered, b may have missed `said`, and sleeps are short: who sleeps comes
 * back by himself, and looks again.
 *
 * Whoever sleeps counts as such while he does (wait_is_crowded()).
 */
#ifndef OMPDD_RUNTIME_CORE_SLEEP_H
#define OMPDD_RUNTIME_CORE_SLEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "os/spin.h"

/* Who has the fence (atomic). Changes of all the program look at it: nothing else is in its cache line. */
enum sleep_fences { SLEEP_FENCED_ALL, SLEEP_FENCED_BOTH, SLEEP_FENCED_EACH };
extern uint32_t sleep_fences;
#define SLEEP_IS_RARE 256

/* Step 2. Returns for how many nanoseconds the thread may sleep then: 0, until it is woken; else there is no fence. */
uint32_t sleep_prepare(void);
/*
 * Step 4: sleep while *@word is @expected, for at most @ns nanoseconds (less than a second; 0: no limit), until
 * somebody wakes one of @bits. Returns on a wake, then, at once if it is something else, or for no reason. It may also
 * be used alone, by who waits for a change of @word itself.
 */
void sleep_on_bits(const uint32_t *word, uint32_t expected, uint32_t bits, uint32_t ns);

/* The same, with all bits. */
static inline void sleep_on(const uint32_t *word, uint32_t expected, uint32_t ns)
{
	sleep_on_bits(word, expected, UINT32_MAX, ns);
}

/* The fence of one who changes. */
void sleep_fence_slow(void) __attribute__((cold));

/* Step b, at once behind a. For a word of 32 or 64 bits. */
#define sleep_is_said(said)                                                                                            \
	({                                                                                                             \
		__atomic_signal_fence(__ATOMIC_SEQ_CST);                                                               \
		if (unlikely(__atomic_load_n(&sleep_fences, __ATOMIC_ACQUIRE) != SLEEP_FENCED_ALL))                    \
			sleep_fence_slow();                                                                            \
		__atomic_load_n(said, __ATOMIC_RELAXED);                                                               \
	})

/*
 * For a thread that sleeps alone: a word of its own, which is 1 while it does, and on which it sleeps. sleeper_say() is
 * step 1, sleeper_sleep() is 4, sleeper_get_up() is 5; sleeper_wake() is b and c, by anybody.
 */
static inline void sleeper_say(uint32_t *asleep)
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

/* In the child of fork(): nobody is on the way to sleep. */
void sleep_forget_others(void);

void sleeper_wake_slow(uint32_t *asleep) __attribute__((cold));

static inline void sleeper_wake(uint32_t *asleep)
{
	if (unlikely(sleep_is_said(asleep)))
		sleeper_wake_slow(asleep);
}

#endif
