/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* teams: leagues on the host. The teams run one after the other. */
#include <limits.h>

#include "abi/abi.h"
#include "core/icv.h"
#include "core/league.h"
#include "core/thread.h"

/* Without an enclosing target region. */
ABI void GOMP_teams_reg(gomp_fn fn, void *data, unsigned num_teams, unsigned thread_limit, unsigned flags)
{
	struct thread *t = thread_self();
	struct site site = SITE_HERE();

	(void)flags;
	if (!num_teams)
		num_teams = league_default_size();
	if (!thread_limit)
		thread_limit = icv_process.teams_thread_limit;
	league_begin(t, num_teams, site);
	for (unsigned i = 0; i < num_teams; i++) {
		league_begin_team(t, fn, data, i, num_teams, thread_limit, site);
		fn(data);
		league_end_team(t);
	}
	league_end(t, site);
}

/* At the start of a target region, gcc 4.9 to 11. There is one team. */
ABI void GOMP_teams(unsigned num_teams, unsigned thread_limit)
{
	(void)num_teams;
	league_resize(thread_self(), 0, 1, thread_limit);
}

/* In a target region, gcc 12: called before each of its teams. Returns false after the last team. */
ABI bool GOMP_teams4(unsigned num_teams_low, unsigned num_teams_high, unsigned thread_limit, bool first)
{
	(void)num_teams_low;
	return league_next(thread_self(), num_teams_high ? num_teams_high : 1, thread_limit, first, SITE_HERE());
}
