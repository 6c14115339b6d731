/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The steps of a sleep that call the kernel or need a fence. */
#include "core/sync/sleep.h"

#include <stdbool.h>

#include "core/sync/wait.h"
#include "os/fence.h"
#include "os/futex.h"

uint32_t sleep_fences __attribute__((aligned(CACHE_LINE)));
/* Changes since the last sleep; atomic, but a lost update is harmless. */
static uint32_t n_changes __attribute__((aligned(CACHE_LINE)));

void sleep_fence_slow(void)
{
	uint32_t n = __atomic_load_n(&n_changes, __ATOMIC_RELAXED) + 1, each = SLEEP_FENCED_EACH;

	if (n <= SLEEP_IS_RARE)
		__atomic_store_n(&n_changes, n, __ATOMIC_RELAXED);
	else
		__atomic_compare_exchange_n(&sleep_fences, &each, SLEEP_FENCED_ALL, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* The fence for all threads. The next sleepers need none. */
static bool fence_and_hand_over(void)
{
	uint32_t by = SLEEP_FENCED_ALL;
	bool is_mine = __atomic_compare_exchange_n(&sleep_fences, &by, SLEEP_FENCED_BOTH, false, __ATOMIC_RELAXED,
						   __ATOMIC_RELAXED);
	bool works = fence_all();

	if (is_mine)
		__atomic_store_n(&sleep_fences, works ? SLEEP_FENCED_EACH : SLEEP_FENCED_ALL, __ATOMIC_RELEASE);
	return works;
}

uint32_t sleep_prepare(void)
{
	__atomic_store_n(&n_changes, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&sleep_fences, __ATOMIC_ACQUIRE) == SLEEP_FENCED_EACH)
		return 0;
	return fence_and_hand_over() ? 0 : FENCE_BLIND_NS;
}

void sleep_forget_others(void)
{
	__atomic_store_n(&sleep_fences, SLEEP_FENCED_ALL, __ATOMIC_RELAXED);
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
