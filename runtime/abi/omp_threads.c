/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Routines about threads and parallel regions (OpenMP 5.2, 18.2). Schedules and levels have files of their own. */
#include "abi/omp_abi.h"
#include "abi/omp_newer.h"
#include "core/places.h"
#include "os/cpus.h"

/*
 * gcc's code calls these two at each loop. The path for unknown threads is a separate function, so that the fast path
 * saves no registers.
 */
static __attribute__((cold, noinline)) int find_thread_num(void)
{
	return (int)thread_get_introduced()->thread_num;
}

static __attribute__((cold, noinline)) int find_thread_count(void)
{
	return (int)thread_get_introduced()->n_threads;
}

ABI int omp_get_thread_num(void)
{
	const struct thread *t = thread_peek();

	return likely(t->team) ? (int)t->thread_num : find_thread_num();
}
FORTRAN_ALIAS(omp_get_thread_num);

ABI int omp_get_num_threads(void)
{
	const struct thread *t = thread_peek();

	return likely(t->team) ? (int)t->n_threads : find_thread_count();
}
FORTRAN_ALIAS(omp_get_num_threads);

ABI int omp_in_parallel(void)
{
	const struct team *team = thread_get_introduced()->team;

	return team && team->active_level > 0;
}
FORTRAN_ALIAS(omp_in_parallel);

ABI int omp_get_max_threads(void)
{
	return (int)icv_read()->nthreads;
}
FORTRAN_ALIAS(omp_get_max_threads);

ABI void omp_set_num_threads(int n)
{
	icv_write()->nthreads = n > 0 ? (uint32_t)n : 1;
}
FORTRAN_SET_INT(omp_set_num_threads)

ABI int omp_get_thread_limit(void)
{
	uint32_t limit = icv_read()->thread_limit;

	return limit > INT_MAX ? INT_MAX : (int)limit;
}
FORTRAN_ALIAS(omp_get_thread_limit);

/* A thread that is bound to a place has fewer CPUs than its process. */
ABI int omp_get_num_procs(void)
{
	abi_is_used();
	return places.n ? (int)icv_process.num_procs : cpus_available();
}
FORTRAN_ALIAS(omp_get_num_procs);

ABI void omp_set_dynamic(int on)
{
	icv_write()->dynamic = on != 0;
}
FORTRAN_SET_LOGICAL(omp_set_dynamic)

ABI int omp_get_dynamic(void)
{
	return icv_read()->dynamic;
}
FORTRAN_ALIAS(omp_get_dynamic);

ABI int omp_get_cancellation(void)
{
	abi_is_used();
	return icv_process.cancellation;
}
FORTRAN_ALIAS(omp_get_cancellation);

ABI int omp_in_final(void)
{
	const struct task *task = thread_get_introduced()->task;

	return task && (task->flags & TASK_FINAL);
}
FORTRAN_ALIAS(omp_in_final);

ABI int omp_in_explicit_task(void)
{
	const struct task *task = thread_get_introduced()->task;

	return task && task->kind == TASK_EXPLICIT;
}
FORTRAN_ALIAS(omp_in_explicit_task);

ABI int omp_get_max_task_priority(void)
{
	abi_is_used();
	return (int)icv_process.max_task_priority;
}
FORTRAN_ALIAS(omp_get_max_task_priority);
