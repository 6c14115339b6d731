/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Locks of OpenMP 3.0 and later (5.2, 18.9), in the version node OMP_3.0, the default. omp_lock_t is a struct lock. A
 * nestable lock records the task that owns it. Simple locks did not change, so OMP_1.0 has the same code.
 */
#include "abi/omp_lock.h"

#include <stddef.h>
#include <stdlib.h>

#include "abi/omp_abi.h"
#include "abi/program_lock.h"
#include "os/memory.h"
#include "tools/point.h"

struct nest_lock {
	struct lock lock;
	int32_t count;
	const struct task *owner;
};

_Static_assert(sizeof(struct lock) == sizeof(omp_lock_t), "size fixed by omp.h");
_Static_assert(sizeof(struct nest_lock) == sizeof(omp_nest_lock_t), "size fixed by omp.h");

void lock_init_now(omp_lock_t *arg)
{
	((struct lock *)arg)->word = 0;
	if (abi_has_tool())
		point_lock_init(ompt_mutex_lock, arg, SITE_HERE());
}

void lock_destroy_now(omp_lock_t *arg)
{
	if (abi_has_tool())
		point_lock_destroy(ompt_mutex_lock, arg, SITE_HERE());
}

void lock_set_now(omp_lock_t *arg)
{
	program_lock_acquire((struct lock *)arg, ompt_mutex_lock, SITE_HERE().frame);
}

void lock_unset_now(omp_lock_t *arg)
{
	program_lock_release((struct lock *)arg, ompt_mutex_lock, SITE_HERE().frame);
}

int lock_test_now(omp_lock_t *arg)
{
	return program_lock_try((struct lock *)arg, ompt_mutex_test_lock, SITE_HERE().frame);
}

void nest_lock_init_30(omp_nest_lock_t *arg)
{
	*(struct nest_lock *)arg = (struct nest_lock){{0}, 0, NULL};
	if (abi_has_tool())
		point_lock_init(ompt_mutex_nest_lock, arg, SITE_HERE());
}

void nest_lock_destroy_30(omp_nest_lock_t *arg)
{
	if (abi_has_tool())
		point_lock_destroy(ompt_mutex_nest_lock, arg, SITE_HERE());
}

/* Only the owner can read its own address here. Any other task reads a different value, whatever happens meanwhile. */
static bool is_mine(const struct nest_lock *lock, const struct task *me)
{
	return __atomic_load_n(&lock->owner, __ATOMIC_RELAXED) == me;
}

static void take_lock(struct nest_lock *lock, const struct task *me)
{
	__atomic_store_n(&lock->owner, me, __ATOMIC_RELAXED);
	lock->count = 1;
}

/* A tool sees that the task wants the lock, then that it has acquired it once more. */
static __attribute__((cold)) void report_again(struct nest_lock *lock, ompt_mutex_t kind, struct site site)
{
	point_mutex_acquire(kind, lock, site);
	point_nest_lock(ompt_scope_begin, lock, site);
}

static inline __attribute__((always_inline)) void nest_lock_set(struct nest_lock *lock)
{
	const struct task *me = thread_self()->task;

	if (is_mine(lock, me)) {
		lock->count++;
		if (point_has_tool())
			report_again(lock, ompt_mutex_nest_lock, SITE_HERE());
		return;
	}
	program_lock_acquire(&lock->lock, ompt_mutex_nest_lock, SITE_HERE().frame);
	take_lock(lock, me);
}

static inline __attribute__((always_inline)) void nest_lock_unset(struct nest_lock *lock)
{
	if (--lock->count) {
		POINT(nest_lock, ompt_scope_end, lock, SITE_HERE());
		return;
	}
	__atomic_store_n(&lock->owner, NULL, __ATOMIC_RELAXED);
	program_lock_release(&lock->lock, ompt_mutex_nest_lock, SITE_HERE().frame);
}

static inline __attribute__((always_inline)) int nest_lock_test(struct nest_lock *lock)
{
	const struct task *me = thread_self()->task;

	if (is_mine(lock, me)) {
		if (point_has_tool())
			report_again(lock, ompt_mutex_test_nest_lock, SITE_HERE());
		return ++lock->count;
	}
	if (!program_lock_try(&lock->lock, ompt_mutex_test_nest_lock, SITE_HERE().frame))
		return 0;
	take_lock(lock, me);
	return 1;
}

_Static_assert(offsetof(struct nest_lock, lock) == 0, "one has the other's wait id");

void nest_lock_set_30(omp_nest_lock_t *arg)
{
	nest_lock_set((struct nest_lock *)arg);
}

void nest_lock_unset_30(omp_nest_lock_t *arg)
{
	nest_lock_unset((struct nest_lock *)arg);
}

int nest_lock_test_30(omp_nest_lock_t *arg)
{
	return nest_lock_test((struct nest_lock *)arg);
}

/* In Fortran a nestable lock has eight bytes: an address. */
void nest_lock_init_30_fortran(omp_nest_lock_t **arg)
{
	*arg = memory_zalloc(sizeof(**arg));
	if (abi_has_tool())
		point_lock_init(ompt_mutex_nest_lock, *arg, SITE_HERE());
}

void nest_lock_destroy_30_fortran(omp_nest_lock_t **arg)
{
	if (abi_has_tool())
		point_lock_destroy(ompt_mutex_nest_lock, *arg, SITE_HERE());
	free(*arg);
	*arg = NULL;
}

void nest_lock_set_30_fortran(omp_nest_lock_t **arg)
{
	nest_lock_set((struct nest_lock *)*arg);
}

void nest_lock_unset_30_fortran(omp_nest_lock_t **arg)
{
	nest_lock_unset((struct nest_lock *)*arg);
}

int nest_lock_test_30_fortran(omp_nest_lock_t **arg)
{
	return nest_lock_test((struct nest_lock *)*arg);
}

/* A second name for OMP_1.0, because the assembler gives each symbol only one version. */
#define SIMPLE(verb)                                                                                                   \
	extern __typeof(lock_##verb##_now) lock_##verb##_before                                                        \
		__attribute__((alias("lock_" #verb "_now"), visibility("default")));                                   \
	extern __typeof(lock_##verb##_now) lock_##verb##_now_fortran                                                   \
		__attribute__((alias("lock_" #verb "_now"), visibility("default")));                                   \
	extern __typeof(lock_##verb##_now) lock_##verb##_before_fortran                                                \
		__attribute__((alias("lock_" #verb "_now"), visibility("default")));                                   \
	VERSION(lock_##verb##_now, omp_##verb##_lock, "@@OMP_3.0");                                                    \
	VERSION(lock_##verb##_before, omp_##verb##_lock, "@OMP_1.0");                                                  \
	VERSION(lock_##verb##_now_fortran, omp_##verb##_lock_, "@@OMP_3.0");                                           \
	VERSION(lock_##verb##_before_fortran, omp_##verb##_lock_, "@OMP_1.0")

#define NESTABLE(verb)                                                                                                 \
	VERSION(nest_lock_##verb##_30, omp_##verb##_nest_lock, "@@OMP_3.0");                                           \
	VERSION(nest_lock_##verb##_30_fortran, omp_##verb##_nest_lock_, "@@OMP_3.0")

SIMPLE(init);
SIMPLE(destroy);
SIMPLE(set);
SIMPLE(unset);
SIMPLE(test);
NESTABLE(init);
NESTABLE(destroy);
NESTABLE(set);
NESTABLE(unset);
NESTABLE(test);
