/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Leagues: the number of teams, and the step from one team to the next. */
#include "core/team/league.h"

#include "core/icv/icv_copy.h"
#include "core/state/icv.h"
#include "core/state/team.h"
#include "core/team/region.h"
#include "tools/observer.h"
#include "tools/ompd.h"
#include "tools/point.h"

/* nteams-var 0: the implementation chooses. libgomp has 3 teams, and programs expect several. */
#define DEFAULT_TEAMS 3

uint32_t league_default_size(void)
{
	return icv_process.nteams ? icv_process.nteams : DEFAULT_TEAMS;
}

void league_begin(struct thread *t, uint32_t n, struct site site)
{
	POINT(league_begin, t, n, site);
}

void league_end(struct thread *t, struct site site)
{
	POINT(league_end, t, site);
}

void league_begin_team(struct thread *t, void (*fn)(void *), void *data, uint32_t number, uint32_t n,
		       uint32_t thread_limit, struct site site)
{
	team_begin_nested_initial(t, fn, data, t->task->icv, thread_limit, site);
	t->team->team_num = number;
	t->team->num_teams = n;
	t->team->generator = ompd_generator_teams;
	POINT(initial_begin, t, true);
}

void league_end_team(struct thread *t)
{
	team_end_nested_initial(t);
}

void league_resize(struct thread *t, uint32_t number, uint32_t n, uint32_t thread_limit)
{
	t->team->team_num = number;
	t->team->num_teams = n;
	t->team->generator = ompd_generator_teams;
	if (thread_limit)
		icv_write(t)->thread_limit = thread_limit;
}

/* A tool sees a separate initial task for each team. */
static __attribute__((cold)) bool advance_with_tool(struct thread *t, uint32_t n, uint32_t thread_limit, bool first,
						    struct site site)
{
	struct team *team = t->team;
	void (*fn)(void *) = team->fn;
	void *data = team->data;
	uint32_t number = 0;

	if (first) {
		league_begin(t, n, site);
	} else {
		number = team->team_num + 1;
		n = team->num_teams;
		league_end_team(t);
	}
	if (number == n) {
		league_end(t, site);
		return false;
	}
	league_begin_team(t, fn, data, number, n, thread_limit, site);
	return true;
}

bool league_next(struct thread *t, uint32_t n, uint32_t thread_limit, bool first, struct site site)
{
	struct team *team = t->team;

	if (first ? point_has_tool() : team->tool_league)
		return advance_with_tool(t, n, thread_limit, first, site);
	if (first) {
		league_resize(t, 0, n, thread_limit);
		OMPD_POINT(teams_begin);
		return true;
	}
	if (team->team_num + 1 >= team->num_teams) {
		OMPD_POINT(teams_end);
		return false;
	}
	team->team_num++;
	return true;
}
