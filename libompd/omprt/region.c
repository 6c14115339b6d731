/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Teams of our runtime as parallel regions, and their threads; members of backend_omprt. */
#include "omprt/omprt.h"

ompd_rc_t omprt_region_enclosing(const struct process *process, const struct region_ref *region, struct region_ref *ret)
{
	struct omprt_copy team, outer;

	RC_TRY(omprt_region(process, region, &team));
	/* unavailable for the implicit region of a root thread: it has no enclosing region */
	ompd_addr_t enclosing = omprt_field(&team, LAYOUT_team_enclosing);

	/*
	 * An implicit region also surrounds each target region, and each team of a league, on the
	 * encountering thread.
	 */
	return omprt_team(process, enclosing ? enclosing : omprt_field(&team, LAYOUT_team_around), &outer, ret);
}

/* Copy the team of @region, and check that it has a member @number. */
static ompd_rc_t read_team_with(const struct process *process, const struct region_ref *region, uint32_t number,
				struct omprt_copy *team)
{
	RC_TRY(omprt_region(process, region, team));
	return number < omprt_field(team, LAYOUT_team_n_threads) ? ompd_rc_ok : ompd_rc_bad_input;
}

/*
 * Find the thread in the seat of member @number. The seat exists before the thread becomes a
 * member. unavailable: the seat is empty.
 */
static ompd_rc_t find_in_seat(const struct process *process, const struct omprt_copy *team, uint32_t number,
			      ompd_addr_t *ret)
{
	ompd_addr_t address = omprt_field(team, LAYOUT_team_pool);
	struct omprt_copy pool, seat;

	if (!address || !number) /* the primary thread has no seat */
		return ompd_rc_unavailable;
	RC_TRY(omprt_read(process, LAYOUT_pool, address, &pool));
	if (number > omprt_field(&pool, LAYOUT_pool_n_seats))
		return ompd_rc_unavailable;
	RC_TRY(PROCESS_READ(process, omprt_field(&pool, LAYOUT_pool_seats) + (number - 1) * sizeof(address), &address));
	RC_TRY(omprt_read(process, LAYOUT_seat, address, &seat));
	*ret = omprt_field(&seat, LAYOUT_seat_thread);
	return *ret ? ompd_rc_ok : ompd_rc_unavailable;
}

ompd_rc_t omprt_region_thread(const struct process *process, const struct region_ref *region, uint32_t number,
			      struct thread_ref *ret)
{
	struct omprt_copy team, member, thread;

	RC_TRY(read_team_with(process, region, number, &team));
	RC_TRY(omprt_read(process, LAYOUT_member, omprt_member(&team, number), &member));
	ompd_addr_t address = omprt_field(&member, LAYOUT_member_thread);

	if (!address) /* the thread has not run in this team yet */
		RC_TRY(find_in_seat(process, &team, number, &address));
	RC_TRY(omprt_thread(process, address, &thread));
	*ret = omprt_thread_at(process, address);
	return ompd_rc_ok;
}

ompd_rc_t omprt_region_task(const struct process *process, const struct region_ref *region, uint32_t number,
			    struct task_ref *ret)
{
	struct omprt_copy team;

	RC_TRY(read_team_with(process, region, number, &team));
	*ret = omprt_implicit_task(process, region, &team, number);
	return ompd_rc_ok;
}
