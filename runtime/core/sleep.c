/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The steps of a sleep that call the kernel. */
#include "core/sleep.h"

#include "core/wait.h"
#include "os/fence.h"
#include "os/futex.h"

uint32_t sleep_prepare(void)
{
	/* Keeps the compiler from moving the announcement behind fence_all(), which it can see does not touch it. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return fence_all() ? 0 : FENCE_BLIND_NS;
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
