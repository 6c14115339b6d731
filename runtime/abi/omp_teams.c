/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Routines about leagues of teams (OpenMP 5.2, 18.4). */
#include "abi/omp_abi.h"

#include "core/state/team.h"

ABI int omp_get_num_teams(void)
{
	const struct team *team = thread_get_introduced()->team;

	return team ? (int)team->num_teams : 1;
}
FORTRAN_ALIAS(omp_get_num_teams);

ABI int omp_get_team_num(void)
{
	const struct team *team = thread_get_introduced()->team;

	return team ? (int)team->team_num : 0;
}
FORTRAN_ALIAS(omp_get_team_num);

ABI void omp_set_num_teams(int n)
{
	abi_is_used();
	if (n >= 0)
		icv_process.nteams = (uint32_t)n;
}
FORTRAN_SET_INT(omp_set_num_teams)

ABI int omp_get_max_teams(void)
{
	abi_is_used();
	return (int)icv_process.nteams;
}
FORTRAN_ALIAS(omp_get_max_teams);

ABI void omp_set_teams_thread_limit(int n)
{
	abi_is_used();
	if (n >= 0)
		icv_process.teams_thread_limit = (uint32_t)n;
}
FORTRAN_SET_INT(omp_set_teams_thread_limit)

ABI int omp_get_teams_thread_limit(void)
{
	uint32_t limit = icv_process.teams_thread_limit;

	abi_is_used();
	return limit > INT_MAX ? INT_MAX : (int)limit;
}
FORTRAN_ALIAS(omp_get_teams_thread_limit);
