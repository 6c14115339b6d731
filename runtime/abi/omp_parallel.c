/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Routines about threads, nested regions and run-sched-var (OpenMP 5.2, 18.2). */
#include "abi/omp_abi.h"

#include "abi/omp_newer.h"
#include "core/icv/icv_copy.h"
#include "core/state/team.h"
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
	icv_write(thread_self())->nthreads = n > 0 ? (uint32_t)n : 1;
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
	icv_write(thread_self())->dynamic = on != 0;
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

ABI int omp_get_level(void)
{
	const struct team *team = thread_get_introduced()->team;

	return team ? (int)team->level : 0;
}
FORTRAN_ALIAS(omp_get_level);

ABI int omp_get_active_level(void)
{
	const struct team *team = thread_get_introduced()->team;

	return team ? (int)team->active_level : 0;
}
FORTRAN_ALIAS(omp_get_active_level);

ABI int omp_get_max_active_levels(void)
{
	return icv_read()->max_active_levels;
}
FORTRAN_ALIAS(omp_get_max_active_levels);

ABI void omp_set_max_active_levels(int levels)
{
	if (levels < 0)
		return;
	icv_write(thread_self())->max_active_levels = levels < ICV_ACTIVE_LEVELS ? (uint8_t)levels : ICV_ACTIVE_LEVELS;
}
FORTRAN_SET_INT(omp_set_max_active_levels)

ABI int omp_get_supported_active_levels(void)
{
	abi_is_used();
	return ICV_ACTIVE_LEVELS;
}
FORTRAN_ALIAS(omp_get_supported_active_levels);

/* Deprecated. Nonzero allows the greatest depth, 0 allows one level. */
ABI void omp_set_nested(int on)
{
	if (on)
		icv_write(thread_self())->max_active_levels = ICV_ACTIVE_LEVELS;
	else if (icv_read()->max_active_levels > 1)
		icv_write(thread_self())->max_active_levels = 1;
}
FORTRAN_SET_LOGICAL(omp_set_nested)

ABI int omp_get_nested(void)
{
	int levels = icv_read()->max_active_levels;

	return levels > 1 && levels > omp_get_active_level();
}
FORTRAN_ALIAS(omp_get_nested);

/* The caller's enclosing team at @level, and the thread number of the caller or its ancestor in it. */
static const struct team *find_ancestor(int level, uint32_t *thread_num)
{
	const struct thread *t = thread_get_introduced();
	const struct team *team = t->team;

	if (!team || level < 0 || (uint32_t)level > team->level)
		return NULL;
	*thread_num = t->thread_num;
	while (team->level > (uint32_t)level) {
		*thread_num = team->encountering->thread_num;
		team = team->enclosing;
	}
	return team;
}

ABI int omp_get_ancestor_thread_num(int level)
{
	uint32_t thread_num;

	if (!thread_get_introduced()->team)
		return level == 0 ? 0 : -1;
	return find_ancestor(level, &thread_num) ? (int)thread_num : -1;
}
FORTRAN_GET_INT(omp_get_ancestor_thread_num)

ABI int omp_get_team_size(int level)
{
	const struct team *team;
	uint32_t thread_num;

	if (!thread_get_introduced()->team)
		return level == 0 ? 1 : -1;
	team = find_ancestor(level, &thread_num);
	return team ? (int)team->n_threads : -1;
}
FORTRAN_GET_INT(omp_get_team_size)

ABI void omp_set_schedule(omp_sched_t kind, int chunk)
{
	struct icv *icv;

	switch (SCHEDULE_KIND((uint32_t)kind)) {
	case SCHEDULE_STATIC:
		icv = icv_write(thread_self());
		icv->run_sched_chunk = chunk < 1 ? 0 : (uint32_t)chunk;
		break;
	case SCHEDULE_DYNAMIC:
	case SCHEDULE_GUIDED:
		icv = icv_write(thread_self());
		icv->run_sched_chunk = chunk < 1 ? 1 : (uint32_t)chunk;
		break;
	case SCHEDULE_AUTO:
		icv = icv_write(thread_self());
		break;
	default:
		return;
	}
	icv->run_sched = (uint32_t)kind;
}

ABI void omp_get_schedule(omp_sched_t *kind, int *chunk)
{
	const struct icv *icv = icv_read();

	*kind = (omp_sched_t)icv->run_sched;
	*chunk = (int)icv->run_sched_chunk;
}

void omp_set_schedule_(const int32_t *kind, const int32_t *chunk);
void omp_set_schedule_8_(const int32_t *kind, const int64_t *chunk);
void omp_get_schedule_(int32_t *kind, int32_t *chunk);
void omp_get_schedule_8_(int32_t *kind, int64_t *chunk);

ABI void omp_set_schedule_(const int32_t *kind, const int32_t *chunk)
{
	omp_set_schedule((omp_sched_t)*kind, *chunk);
}

ABI void omp_set_schedule_8_(const int32_t *kind, const int64_t *chunk)
{
	omp_set_schedule((omp_sched_t)*kind, fortran_int(*chunk));
}

ABI void omp_get_schedule_(int32_t *kind, int32_t *chunk)
{
	omp_sched_t c_kind;

	omp_get_schedule(&c_kind, chunk);
	*kind = (int32_t)c_kind;
}

ABI void omp_get_schedule_8_(int32_t *kind, int64_t *chunk)
{
	omp_sched_t c_kind;
	int c_chunk;

	omp_get_schedule(&c_kind, &c_chunk);
	*kind = (int32_t)c_kind;
	*chunk = c_chunk;
}
