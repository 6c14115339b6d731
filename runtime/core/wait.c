/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See wait.h. */
#include "core/wait.h"

#include "core/icv.h"
#include "core/root.h"
#include "os/futex.h"
#include "os/spin.h"

enum {
	SPINS = 1000,	     /* pauses before the first yield when every thread can have a CPU */
	SPINS_CROWDED = 8,   /* and when not */
	YIELDS = 2000,	     /* before it sleeps */
	YIELDS_PASSIVE = 50,
	PAUSES_PER_YIELD = 4,
};

static bool crowded(void)
{
	return __atomic_load_n(&runtime_root.n_threads, __ATOMIC_RELAXED) > icv_process.num_procs;
}

bool wait_step(struct waiter *w)
{
	uint64_t round = w->round++;
	uint64_t spins = crowded() || icv_process.wait_policy == WAIT_PASSIVE ? SPINS_CROWDED : SPINS;

	if (round < spins) {
		spin_pause();
		return true;
	}
	round -= spins;
	if (round < (icv_process.wait_policy == WAIT_PASSIVE ? YIELDS_PASSIVE : YIELDS)) {
		spin_yield();
		return true;
	}
	return icv_process.wait_policy == WAIT_ACTIVE && (spin_yield(), true);
}

void wait_while_equal(const uint32_t *word, uint32_t value, uint32_t *sleepers)
{
	struct waiter w = {0};

	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value) {
		if (wait_step(&w))
			continue;
		if (sleepers)
			__atomic_add_fetch(sleepers, 1, __ATOMIC_SEQ_CST);
		while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
			futex_wait(word, value);
		if (sleepers)
			__atomic_sub_fetch(sleepers, 1, __ATOMIC_RELAXED);
	}
}
