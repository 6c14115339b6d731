/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Teams of stock libomp as parallel regions, and their threads; members of backend_libomp. A region
 * is a team and a level: a serialized team stands for several nested regions.
 */
#include <string.h>

#include "libomp/libomp.h"
#include "view_key.h"

static struct region_ref make_region(const struct libomp_team *team, int32_t level, ompd_addr_t via)
{
	return (struct region_ref){
		.team = team->address,
		.via = via,
		.level = (uint32_t)level,
		.sequence = (uint64_t)level,
	};
}

struct region_ref libomp_region_of(const struct libomp_team *team, ompd_addr_t via)
{
	return make_region(team, team->level, via);
}

ompd_rc_t libomp_thread_region(const struct process *process, const struct thread_ref *ref, struct region_ref *ret)
{
	struct libomp_thread thread;
	struct libomp_team team;

	RC_TRY(libomp_thread_member(process, ref->thread, &thread, &team));
	*ret = libomp_region_of(&team, ref->thread);
	return ompd_rc_ok;
}

static bool has_level(const struct libomp_team *team, uint32_t level)
{
	return (int64_t)level >= libomp_team_first_level(team) && (int64_t)level <= team->level;
}

static ompd_rc_t read_region_team(const struct process *process, const struct region_ref *region,
				  struct libomp_team *ret)
{
	struct libomp_thread thread;
	struct libomp_team team;
	ompd_rc_t rc = libomp_thread_member(process, region->via, &thread, &team);

	if (rc != ompd_rc_ok)
		return rc == ompd_rc_unavailable ? ompd_rc_stale_handle : rc;
	/* The thread may be in inner regions: search this team among the enclosing teams. */
	for (unsigned depth = 0; team.address != region->team && team.parent && depth < LIBOMP_MAX_DEPTH; depth++) {
		int32_t level = team.level;

		RC_TRY(libomp_team_read(process, team.parent, &team));
		if (team.level > level)
			return ompd_rc_error; /* not a chain of teams */
	}
	if (team.address != region->team || !has_level(&team, region->level))
		return ompd_rc_stale_handle;
	*ret = team;
	return ompd_rc_ok;
}

ompd_rc_t libomp_region_team(const struct process *process, const struct region_ref *region, struct libomp_team *ret)
{
	static struct {
		struct view_key key;
		struct libomp_team team;
	} last;
	const struct view_key key = view_key_now(process, region);

	if (!view_key_equals(&key, &last.key)) {
		RC_TRY(read_region_team(process, region, &last.team));
		last.key = key;
	}
	*ret = last.team;
	return ompd_rc_ok;
}

ompd_rc_t libomp_region_enclosing(const struct process *process, const struct region_ref *region,
				  struct region_ref *ret)
{
	struct libomp_team team, outer;

	RC_TRY(libomp_region_team(process, region, &team));
	if (!region->level)
		return ompd_rc_unavailable;
	if ((int64_t)region->level > libomp_team_first_level(&team)) {
		*ret = make_region(&team, (int32_t)region->level - 1, region->via);
		return ompd_rc_ok;
	}
	if (!team.parent)
		return ompd_rc_unavailable;
	RC_TRY(libomp_team_read(process, team.parent, &outer));
	if (outer.level > team.level)
		return ompd_rc_error;
	*ret = libomp_region_of(&outer, region->via);
	return ompd_rc_ok;
}

ompd_rc_t libomp_region_thread(const struct process *process, const struct region_ref *region, uint32_t number,
			       struct thread_ref *ret)
{
	struct libomp_thread thread;
	struct libomp_team team;
	ompd_addr_t address;

	RC_TRY(libomp_region_team(process, region, &team));
	if (number >= (uint32_t)team.nproc)
		return ompd_rc_bad_input;
	RC_TRY(libomp_team_member(process, &team, (int32_t)number, &address));
	if (!address) /* the thread is being created */
		return ompd_rc_unavailable;
	RC_TRY(libomp_thread_read(process, address, &thread));
	*ret = libomp_thread_ref(&thread);
	return ompd_rc_ok;
}
