/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Teams of our runtime as parallel regions, and who is in them; members of backend_omprt. */
#include "callbacks.h"
#include "omprt.h"

ompd_rc_t omprt_team(const struct process *process, ompd_addr_t address, struct omprt_copy *team,
		     struct region_ref *ret)
{
	if (!address)
		return ompd_rc_unavailable;
	RC_TRY(omprt_read(process, LAYOUT_team, address, team));
	uint64_t n_threads = omprt_field(team, LAYOUT_team_n_threads);

	if (!omprt_field(team, LAYOUT_team_in_use) || !n_threads || n_threads > OMPRT_MAX_THREADS)
		return ompd_rc_stale_handle;
	*ret = (struct region_ref){
		.team = address,
		.level = (uint32_t)omprt_field(team, LAYOUT_team_level),
		.sequence = omprt_field(team, LAYOUT_team_sequence),
	};
	return ompd_rc_ok;
}

/* The team of @region, unless its memory is another region's by now. */
static ompd_rc_t team_of(const struct process *process, const struct region_ref *region,
			 struct omprt_copy *team)
{
	struct region_ref now;

	RC_TRY(omprt_team(process, region->team, team, &now));
	return now.sequence == region->sequence ? ompd_rc_ok : ompd_rc_stale_handle;
}

ompd_rc_t omprt_region_enclosing(const struct process *process, const struct region_ref *region,
				 struct region_ref *ret)
{
	struct omprt_copy team, outer;

	RC_TRY(team_of(process, region, &team));
	/* unavailable for the implicit region of a root thread, which has none */
	ompd_addr_t enclosing = omprt_field(&team, LAYOUT_team_enclosing);

	/* An implicit region also surrounds each target region, and each team of a league, on the thread that met the construct. */
	return omprt_team(process, enclosing ? enclosing : omprt_field(&team, LAYOUT_team_around), &outer, ret);
}

/* The address of member @number of @region. */
static ompd_rc_t member_of(const struct process *process, const struct region_ref *region, uint32_t number,
			   ompd_addr_t *ret)
{
	struct omprt_copy team;

	RC_TRY(team_of(process, region, &team));
	if (number >= omprt_field(&team, LAYOUT_team_n_threads))
		return ompd_rc_bad_input;
	*ret = omprt_field(&team, LAYOUT_team_members) +
	       (uint64_t)number * omprt_of(process)->layout.entries[LAYOUT_member].size;
	return ompd_rc_ok;
}

ompd_rc_t omprt_region_thread(const struct process *process, const struct region_ref *region,
			      uint32_t number, struct thread_ref *ret)
{
	struct omprt_copy member, thread;
	ompd_addr_t address;

	RC_TRY(member_of(process, region, number, &address));
	RC_TRY(omprt_read(process, LAYOUT_member, address, &member));
	address = omprt_field(&member, LAYOUT_member_thread);
	if (!address) /* on its way into the team */
		return ompd_rc_unavailable;
	RC_TRY(omprt_thread(process, address, &thread));
	ret->thread = address;
	ret->thread_pointer = omprt_field(&thread, LAYOUT_thread_pthread);
	return ompd_rc_ok;
}

ompd_rc_t omprt_region_task(const struct process *process, const struct region_ref *region, uint32_t number,
			    struct task_ref *ret)
{
	struct omprt_copy task;
	ompd_addr_t address;

	RC_TRY(member_of(process, region, number, &address));
	return omprt_task(process, address + omprt_of(process)->layout.entries[LAYOUT_member_implicit].offset,
			  &task, ret);
}
