/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Routines about nesting (OpenMP 5.2, 18.2.9 to 18.2.20). */
#include "abi/omp_abi.h"

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
	icv_write()->max_active_levels = levels < ICV_ACTIVE_LEVELS ? (uint8_t)levels : ICV_ACTIVE_LEVELS;
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
		icv_write()->max_active_levels = ICV_ACTIVE_LEVELS;
	else if (icv_read()->max_active_levels > 1)
		icv_write()->max_active_levels = 1;
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
