/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One thread changes a 64-bit word for which others wait: turns of ordered, flags of doacross, data of copyprivate.
 * The changing thread is on the program's critical path, so it only stores and checks for sleepers (core/sync/sleep.h).
 */
#ifndef OMPDD_RUNTIME_CORE_SYNC_HANDOVER_H
#define OMPDD_RUNTIME_CORE_SYNC_HANDOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sync/sleep.h"
#include "os/spin.h"

struct waiter;

/* Wakes the threads that sleep with @bit. */
void handover_wake(const uint64_t *word, uint32_t bit) __attribute__((cold));

/* Stores @value to @word (release) and wakes the threads that sleep with @bit. */
static inline void handover_give(uint64_t *word, uint64_t value, const uint32_t *sleepers, uint32_t bit)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	if (unlikely(sleep_is_said(sleepers)))
		handover_wake(word, bit);
}

/*
 * One step of waiting. Call it in a loop that reads @word, whose value was @seen. It may sleep, with @bit, while the
 * word has that value. @is_next: see wait_step_turn().
 */
void handover_wait(struct waiter *w, bool is_next, const uint64_t *word, uint64_t seen, uint32_t *sleepers,
		   uint32_t bit);

#endif
