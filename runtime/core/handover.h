/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One thread changes a 64-bit word, others wait for that: turns of ordered, flags of doacross, data of copyprivate. Who
 * hands over is on the program's critical path: it only stores, and looks whether somebody sleeps (core/sleep.h).
 */
#ifndef OMPDD_RUNTIME_CORE_HANDOVER_H
#define OMPDD_RUNTIME_CORE_HANDOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sleep.h"
#include "core/wait.h"
#include "os/spin.h"

/* Wake those who sleep with @bit. */
void handover_wake(const uint64_t *word, uint32_t bit) __attribute__((cold));

/* Store @value to @word (release) and wake those who sleep with @bit. */
static inline void handover(uint64_t *word, uint64_t value, const uint32_t *sleepers, uint32_t bit)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	if (unlikely(sleep_is_said(sleepers)))
		handover_wake(word, bit);
}

/*
 * One step of waiting: call it in a loop that reads @word, which was @seen. It may sleep, with @bit, as long as that is
 * so.
 * @is_next: see wait_step_turn().
 */
void handover_wait(struct waiter *w, bool is_next, const uint64_t *word, uint64_t seen, uint32_t *sleepers,
		   uint32_t bit);

#endif
