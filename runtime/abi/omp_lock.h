/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The lock routines under internal names. omp_lock.c and omp_lock_25.c export them under the programs' names, per
 * version.
 */
#ifndef OMPDD_RUNTIME_ABI_OMP_LOCK_H
#define OMPDD_RUNTIME_ABI_OMP_LOCK_H

#include "abi/abi.h"
#include "abi/omp_abi.h"
#include "core/state/task.h"
#include "core/state/thread.h"

/*
 * Exports @function as @name in a node of gomp.map: "@@NODE" for new programs, "@NODE" for programs that were linked
 * with it.
 */
#define VERSION(function, name, node) __asm__(".symver " #function ", " #name node)

ABI void lock_init_now(omp_lock_t *arg);
ABI void lock_destroy_now(omp_lock_t *arg);
ABI void lock_set_now(omp_lock_t *arg);
ABI void lock_unset_now(omp_lock_t *arg);
ABI int lock_test_now(omp_lock_t *arg);

ABI void nest_lock_init_30(omp_nest_lock_t *arg);
ABI void nest_lock_destroy_30(omp_nest_lock_t *arg);
ABI void nest_lock_set_30(omp_nest_lock_t *arg);
ABI void nest_lock_unset_30(omp_nest_lock_t *arg);
ABI int nest_lock_test_30(omp_nest_lock_t *arg);
ABI void nest_lock_init_30_fortran(omp_nest_lock_t **arg);
ABI void nest_lock_destroy_30_fortran(omp_nest_lock_t **arg);
ABI void nest_lock_set_30_fortran(omp_nest_lock_t **arg);
ABI void nest_lock_unset_30_fortran(omp_nest_lock_t **arg);
ABI int nest_lock_test_30_fortran(omp_nest_lock_t **arg);

/* OpenMP 2.5: eight bytes, also in Fortran. The owner is a thread. */
struct nest_lock_25 {
	uint32_t owner; /* the kernel's thread id and SLEEPERS; 0: free; a futex word */
	int32_t count;
};

ABI void nest_lock_init_25(struct nest_lock_25 *lock);
ABI void nest_lock_destroy_25(struct nest_lock_25 *lock);
ABI void nest_lock_set_25(struct nest_lock_25 *lock);
ABI void nest_lock_unset_25(struct nest_lock_25 *lock);
ABI int nest_lock_test_25(struct nest_lock_25 *lock);

#endif
