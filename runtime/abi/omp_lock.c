/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Locks of OpenMP 3.0 and later (5.2, 18.9): node OMP_3.0, the default. omp_lock_t is a struct lock; a nestable lock knows the
 * task that owns it. Simple locks were the same before, so OMP_1.0 has the same code. Called by programs.
 */
#include "abi/omp_lock.h"

#include <stdlib.h>

#include "core/lock.h"
#include "os/memory.h"

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
}

void lock_destroy_now(omp_lock_t *arg)
{
	(void)arg;
}

void lock_set_now(omp_lock_t *arg)
{
	lock_acquire_from((struct lock *)arg, ompt_state_wait_lock, SITE_HERE().frame);
}

void lock_unset_now(omp_lock_t *arg)
{
	lock_release((struct lock *)arg);
}

int lock_test_now(omp_lock_t *arg)
{
	return lock_try((struct lock *)arg);
}

void nest_lock_init_30(omp_nest_lock_t *arg)
{
	*(struct nest_lock *)arg = (struct nest_lock){{0}, 0, NULL};
}

void nest_lock_destroy_30(omp_nest_lock_t *arg)
{
	(void)arg;
}

/* Only the owner finds itself there; whatever another task reads meanwhile is not itself. */
static bool is_mine(const struct nest_lock *lock, const struct task *me)
{
	return __atomic_load_n(&lock->owner, __ATOMIC_RELAXED) == me;
}

static void take(struct nest_lock *lock, const struct task *me)
{
	__atomic_store_n(&lock->owner, me, __ATOMIC_RELAXED);
	lock->count = 1;
}

void nest_lock_set_30(omp_nest_lock_t *arg)
{
	struct nest_lock *lock = (struct nest_lock *)arg;
	const struct task *me = thread_self()->task;

	if (is_mine(lock, me)) {
		lock->count++;
		return;
	}
	lock_acquire_from(&lock->lock, ompt_state_wait_lock, SITE_HERE().frame);
	take(lock, me);
}

void nest_lock_unset_30(omp_nest_lock_t *arg)
{
	struct nest_lock *lock = (struct nest_lock *)arg;

	if (--lock->count)
		return;
	__atomic_store_n(&lock->owner, NULL, __ATOMIC_RELAXED);
	lock_release(&lock->lock);
}

int nest_lock_test_30(omp_nest_lock_t *arg)
{
	struct nest_lock *lock = (struct nest_lock *)arg;
	const struct task *me = thread_self()->task;

	if (is_mine(lock, me))
		return ++lock->count;
	if (!lock_try(&lock->lock))
		return 0;
	take(lock, me);
	return 1;
}

/* In Fortran a nestable lock has eight bytes: the address of one. */
void nest_lock_init_30_fortran(omp_nest_lock_t **arg)
{
	*arg = memory_zalloc(sizeof(**arg));
}

void nest_lock_destroy_30_fortran(omp_nest_lock_t **arg)
{
	free(*arg);
	*arg = NULL;
}

void nest_lock_set_30_fortran(omp_nest_lock_t **arg)
{
	nest_lock_set_30(*arg);
}

void nest_lock_unset_30_fortran(omp_nest_lock_t **arg)
{
	nest_lock_unset_30(*arg);
}

int nest_lock_test_30_fortran(omp_nest_lock_t **arg)
{
	return nest_lock_test_30(*arg);
}

/* A second name for OMP_1.0: the assembler versions one symbol once. */
#define SIMPLE(verb)                                                                                             \
	extern __typeof(lock_##verb##_now) lock_##verb##_before                                                  \
	    __attribute__((alias("lock_" #verb "_now"), visibility("default")));                                 \
	extern __typeof(lock_##verb##_now) lock_##verb##_now_fortran                                             \
	    __attribute__((alias("lock_" #verb "_now"), visibility("default")));                                 \
	extern __typeof(lock_##verb##_now) lock_##verb##_before_fortran                                          \
	    __attribute__((alias("lock_" #verb "_now"), visibility("default")));                                 \
	VERSION(lock_##verb##_now, omp_##verb##_lock, "@@OMP_3.0");                                              \
	VERSION(lock_##verb##_before, omp_##verb##_lock, "@OMP_1.0");                                            \
	VERSION(lock_##verb##_now_fortran, omp_##verb##_lock_, "@@OMP_3.0");                                     \
	VERSION(lock_##verb##_before_fortran, omp_##verb##_lock_, "@OMP_1.0")

#define NESTABLE(verb)                                                                                           \
	VERSION(nest_lock_##verb##_30, omp_##verb##_nest_lock, "@@OMP_3.0");                                     \
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
