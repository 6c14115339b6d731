/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The number of threads of a region (OpenMP 5.2, 10.1.1). */
#include "core/team/team_size.h"

#include <stdlib.h>

#include "core/state/icv.h"
#include "core/state/team.h"
#include "core/state/thread.h"
#include "os/cpus.h"
#include "os/spin.h"
#include "tools/ompd.h"

/* Rare cases are not inlined: team_choose_size() would save registers for them each time. */
#define RARE __attribute__((cold, noinline))

/* dyn-var: the number of CPUs that other programs have not used lately. */
static RARE uint32_t get_dynamic_limit(void)
{
	int cpus = cpus_available();
	double load[3];

	if (getloadavg(load, 3) != 3)
		return (uint32_t)cpus;
	int busy = (int)(load[2] + 0.1);
	return busy < cpus ? (uint32_t)(cpus - busy) : 1;
}

/* thread-limit-var covers all threads below the initial task, whose implicit region counts them. */
static uint32_t *get_busy_count(struct thread *t)
{
	struct team *team = t->team;

	while (team->enclosing)
		team = team->enclosing;
	return &team->n_busy;
}

static RARE uint32_t reserve_threads(struct thread *t, uint32_t n, uint32_t limit)
{
	uint32_t *n_busy = get_busy_count(t);
	uint32_t busy = __atomic_load_n(n_busy, __ATOMIC_RELAXED);

	for (;;) {
		uint32_t free = limit > busy ? limit - busy : 0;
		uint32_t more = n - 1 < free ? n - 1 : free;

		if (!more)
			return 1;
		if (__atomic_compare_exchange_n(n_busy, &busy, busy + more, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return more + 1;
	}
}

void team_size_release(struct thread *t, uint32_t n_threads)
{
	__atomic_sub_fetch(get_busy_count(t), n_threads - 1, __ATOMIC_RELAXED);
}

/* Returns whether a debugger has requested a team of one for this thread's next region. */
static RARE bool take_serialize_request(const struct thread *t)
{
	uint64_t w = __atomic_load_n(&ompd_serialize_here, __ATOMIC_RELAXED);

	do {
		if (!(uint32_t)w || (w >> 32 && w >> 32 != (uint32_t)t->tid))
			return false;
	} while (!__atomic_compare_exchange_n(&ompd_serialize_here, &w, (uint32_t)w == 1 ? 0 : w - 1, true,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return true;
}

uint32_t team_choose_size(struct thread *t, uint32_t asked, uint32_t count)
{
	const struct icv *icv = t->task->icv;
	uint32_t n = asked ? asked : icv->nthreads;

	if (n <= 1)
		return 1;
	if (t->team->active_level >= icv->max_active_levels) {
		t->requested = n;
		return 1;
	}
	if (unlikely(__atomic_load_n(&ompd_serialize_here, __ATOMIC_RELAXED)) && take_serialize_request(t)) {
		t->requested = n;
		return 1;
	}
	if (unlikely(icv->dynamic)) {
		uint32_t limit = get_dynamic_limit();

		t->requested = n;
		if (n > limit)
			n = limit;
		if (count && n > count)
			n = count;
	}
	if (unlikely(icv->thread_limit != UINT32_MAX) && n > 1) {
		t->requested = n;
		n = reserve_threads(t, n, icv->thread_limit);
	}
	return n;
}
