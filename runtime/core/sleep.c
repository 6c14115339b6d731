/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The steps of a sleep that call the kernel. */
#include "core/sleep.h"

#include "os/fence.h"
#include "os/futex.h"

enum {
	HURRY_NS = 3000000, /* a sleep, at most, whose waker may have overlooked it */
};

uint32_t sleep_prepare(struct waiter *w)
{
	/* For the compiler, which may know that fence_all() does not touch what was said. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (wait_may_hurry(w))
		return HURRY_NS;
	return fence_all() ? 0 : FENCE_BLIND_NS;
}

void sleep_on(const uint32_t *word, uint32_t expected, uint32_t ns)
{
	if (ns) {
		sleep_on_bits(word, expected, UINT32_MAX, ns);
		return;
	}
	wait_count_asleep(1);
	futex_wait(word, expected);
	wait_count_asleep(-1);
}

void sleep_on_bits(const uint32_t *word, uint32_t expected, uint32_t bits, uint32_t ns)
{
	wait_count_asleep(1);
	futex_wait_bits(word, expected, bits, ns);
	wait_count_asleep(-1);
}

void sleeper_wake_slow(uint32_t *asleep)
{
	if (__atomic_exchange_n(asleep, 0, __ATOMIC_RELAXED))
		futex_wake(asleep, 1);
}
