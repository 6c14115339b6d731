/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How threads wait: spin with pause, then yield the CPU, then sleep; how long each by the wait policy and by whether there are
 * more threads than CPUs. One place, so that all waits behave alike.
 */
#ifndef OMPDD_RUNTIME_CORE_WAIT_H
#define OMPDD_RUNTIME_CORE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

struct waiter {
	uint64_t round;
};

/* Call in a loop whose condition did not hold: pauses or yields. False: it is time to sleep, or to go on if one cannot. */
bool wait_step(struct waiter *w);

/*
 * Wait until *@word is not @value any more: spin, yield, then sleep on it. The one who changes it must call wait_wake_all()
 * or know of no sleepers. @sleepers: incremented while asleep; may be NULL.
 */
void wait_while_equal(const uint32_t *word, uint32_t value, uint32_t *sleepers);

#endif
