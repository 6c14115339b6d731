/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The slow parts of a handover: sleeping and waking. */
#include "core/sync/handover.h"

#include "core/sync/wait.h"
#include "os/futex.h"

#define SLEEP_NS 500000000 /* the kernel misses a change in the word's upper half only */

void handover_wake(const uint64_t *word, uint32_t bit)
{
	futex_wake_bits(futex_low_half(word), bit);
}

void handover_wait(struct waiter *w, bool is_next, const uint64_t *word, uint64_t seen, uint32_t *sleepers,
		   uint32_t bit)
{
	if (wait_step_turn(w, is_next))
		return;
	__atomic_fetch_add(sleepers, 1, __ATOMIC_RELAXED);
	uint32_t ns = sleep_prepare();

	if (__atomic_load_n(word, __ATOMIC_RELAXED) == seen)
		sleep_on_bits(futex_low_half(word), (uint32_t)seen, bit, ns ? ns : SLEEP_NS);
	__atomic_fetch_sub(sleepers, 1, __ATOMIC_RELAXED);
}
