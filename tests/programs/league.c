/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* league TEAMS THREADS: a league whose teams are in a region each. With 1 the team's thread is alone,
 * else the region has THREADS threads. Lines have "league": omp_get_team_num() and omp_get_num_teams(). */
#include <omp.h>
#include <stdlib.h>

#include "oracle.h"

static void hold(void)
{
	oracle_say(BY_PAUSE, "\"league\":[%d,%d]", omp_get_team_num(), omp_get_num_teams());
	park();
}

int main(int argc, char **argv)
{
	int teams = argc > 1 ? atoi(argv[1]) : 2, threads = argc > 2 ? atoi(argv[2]) : 2;

	omp_set_max_active_levels(2);
	park_begin(teams * threads);
#pragma omp teams num_teams(teams) thread_limit(threads)
	{
		if (threads == 1)
			hold();
#pragma omp parallel num_threads(threads)
		hold();
	}
}
