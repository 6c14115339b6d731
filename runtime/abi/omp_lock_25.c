/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nestable locks of OpenMP 2.5, version node OMP_1.0, for programs of gcc 4.2 and 4.3. The owner is a thread. */
#include "abi/omp_lock.h"

#include "abi/omp_abi.h"
#include "os/futex.h"
#include "os/thread.h"
#include "tools/point.h"

#define SLEEPERS 0x80000000u /* thread ids are at most 2^22 */

/* Not cached: fork() changes it. */
static uint32_t get_own_id(void)
{
	return (uint32_t)os_thread_id();
}

static bool is_mine(const struct nest_lock_25 *lock, uint32_t me)
{
	return (__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) & ~SLEEPERS) == me;
}

static bool take_lock(struct nest_lock_25 *lock, uint32_t value)
{
	uint32_t free = 0;

	if (!__atomic_compare_exchange_n(&lock->owner, &free, value, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	lock->count = 1;
	return true;
}

void nest_lock_init_25(struct nest_lock_25 *lock)
{
	*lock = (struct nest_lock_25){0, 0};
	if (abi_has_tool())
		point_lock_init(ompt_mutex_nest_lock, lock, SITE_HERE());
}

void nest_lock_destroy_25(struct nest_lock_25 *lock)
{
	if (abi_has_tool())
		point_lock_destroy(ompt_mutex_nest_lock, lock, SITE_HERE());
}

/* A tool sees that the thread wants the lock, then that it has acquired it once more. */
static __attribute__((cold)) void report_again(struct nest_lock_25 *lock, ompt_mutex_t kind, struct site site)
{
	point_mutex_acquire(kind, lock, site);
	point_nest_lock(ompt_scope_begin, lock, site);
}

static __attribute__((cold)) void wait_for_lock(struct nest_lock_25 *lock, uint32_t me)
{
	struct thread *t = thread_self();
	uint32_t before = state_wait(t, ompt_state_wait_lock, lock);
	/* A thread that has slept cannot know whether others still sleep, so it acquires the lock with SLEEPERS. */
	while (!take_lock(lock, me | SLEEPERS)) {
		uint32_t owner = __atomic_load_n(&lock->owner, __ATOMIC_RELAXED);

		if (!owner)
			continue;
		if (!(owner & SLEEPERS) && !__atomic_compare_exchange_n(&lock->owner, &owner, owner | SLEEPERS, false,
									__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		futex_wait(&lock->owner, owner | SLEEPERS);
	}
	state_restore(t, before);
}

void nest_lock_set_25(struct nest_lock_25 *lock)
{
	uint32_t me = get_own_id();

	if (is_mine(lock, me)) {
		lock->count++;
		if (point_has_tool())
			report_again(lock, ompt_mutex_nest_lock, SITE_HERE());
		return;
	}
	if (point_may_have_tool()) {
		thread_self();
		point_mutex_acquire(ompt_mutex_nest_lock, lock, SITE_HERE());
	}
	if (!take_lock(lock, me))
		wait_for_lock(lock, me);
	POINT(mutex_acquired, ompt_mutex_nest_lock, lock, SITE_HERE());
}

void nest_lock_unset_25(struct nest_lock_25 *lock)
{
	if (--lock->count) {
		POINT(nest_lock, ompt_scope_end, lock, SITE_HERE());
		return;
	}
	if (__atomic_exchange_n(&lock->owner, 0, __ATOMIC_RELEASE) & SLEEPERS)
		futex_wake(&lock->owner, 1);
	POINT(mutex_released, ompt_mutex_nest_lock, lock, SITE_HERE());
}

int nest_lock_test_25(struct nest_lock_25 *lock)
{
	uint32_t me = get_own_id();

	if (is_mine(lock, me)) {
		if (point_has_tool())
			report_again(lock, ompt_mutex_test_nest_lock, SITE_HERE());
		return ++lock->count;
	}
	if (point_may_have_tool()) {
		thread_self();
		point_mutex_acquire(ompt_mutex_test_nest_lock, lock, SITE_HERE());
	}
	if (!take_lock(lock, me))
		return 0;
	POINT(mutex_acquired, ompt_mutex_test_nest_lock, lock, SITE_HERE());
	return 1;
}

#define NESTABLE(verb)                                                                                                 \
	extern __typeof(nest_lock_##verb##_25) nest_lock_##verb##_25_fortran                                           \
		__attribute__((alias("nest_lock_" #verb "_25"), visibility("default")));                               \
	VERSION(nest_lock_##verb##_25, omp_##verb##_nest_lock, "@OMP_1.0");                                            \
	VERSION(nest_lock_##verb##_25_fortran, omp_##verb##_nest_lock_, "@OMP_1.0")

NESTABLE(init);
NESTABLE(destroy);
NESTABLE(set);
NESTABLE(unset);
NESTABLE(test);
