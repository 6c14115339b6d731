/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory of a team: the struct, and its members behind it. */
#include "core/team/team_memory.h"

#include <stdlib.h>

#include "core/loop/workshare.h"
#include "core/state/barrier_word.h"
#include "core/state/team.h"
#include "core/task/task_member.h"
#include "os/memory.h"

struct team *team_create(uint32_t capacity)
{
	struct team *team = memory_zalloc_line(sizeof(*team) + capacity * sizeof(struct member));

	team->capacity = capacity;
	team->members = team_members(team);
	team->barrier.word = BARRIER_FIRST;
	return team;
}

void team_destroy(struct team *team)
{
	for (uint32_t i = 0; i < team->capacity; i++)
		task_member_deinit(&team->members[i]);
	task_team_deinit(team);
	workshares_deinit(&team->workshares);
	free(team);
}
