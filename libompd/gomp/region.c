/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parallel regions of stock libgomp, their threads and their barriers; members of backend_gomp. */
#include <string.h>

#include "gomp/gomp.h"

/*
 * Flags of the generation. WAITING_FOR_TASK: all threads have arrived and execute the remaining
 * tasks. CANCELLED: the region was cancelled, and threads that left are not counted.
 */
#define WAITING_FOR_TASK 2
#define CANCELLED	 4
/* The generation counts the barriers above these flags. */
#define FLAGS 7u

#define MAX_BARRIER 128

static uint32_t get_word(const uint8_t *bytes, uint32_t offset)
{
	uint32_t word;

	memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

ompd_rc_t gomp_thread_region(const struct process *process, const struct thread_ref *ref, struct region_ref *ret)
{
	struct gomp_thread thread;

	RC_TRY(gomp_thread_read_member(process, ref->thread, &thread));
	gomp_region_of(process, &thread.ts, ref->thread, ref->thread, &thread, ret);
	return ompd_rc_ok;
}

ompd_rc_t gomp_region_team(const struct process *process, const struct region_ref *region, struct gomp_team *ret)
{
	struct gomp_team team;

	RC_TRY(gomp_region_check(process, region));
	RC_TRY(gomp_team_read(process, region->team, &team));
	if (!team.nthreads || team.nthreads > GOMP_MAX_THREADS)
		return ompd_rc_stale_handle;
	if (team.has_prev_ts && team.prev_ts.level + 1 != region->level)
		return ompd_rc_stale_handle; /* another team uses the memory now */
	*ret = team;
	return ompd_rc_ok;
}

/* The target region with the copy @saved lies within the region that the thread was in. */
static ompd_rc_t find_around_target(const struct process *process, ompd_addr_t saved, struct region_ref *ret)
{
	struct gomp_thread copy;
	ompd_addr_t thread;

	RC_TRY(gomp_saved_owner(process, saved, &thread));
	RC_TRY(gomp_thread_read(process, saved, &copy));
	gomp_region_of(process, &copy.ts, thread, saved, &copy, ret);
	return ompd_rc_ok;
}

/* Return the copy that identifies the target region around @region, a team's on the first level. 0: none. */
static ompd_addr_t find_target(const struct process *process, const struct region_ref *region,
			       const struct gomp_team *team)
{
	ompd_addr_t primary, record;

	if (gomp_team_primary(process, region, team, &primary) != ompd_rc_ok ||
	    gomp_record_of_region(process, primary, region, &record) != ompd_rc_ok)
		return 0;
	return gomp_saved_record(process, primary, record);
}

ompd_rc_t gomp_region_enclosing(const struct process *process, const struct region_ref *region, struct region_ref *ret)
{
	struct gomp_team team;

	if (!region->level)
		return region->team ? find_around_target(process, region->team, ret) : ompd_rc_unavailable;
	RC_TRY(gomp_region_team(process, region, &team));
	if (!team.has_prev_ts)
		return ompd_rc_unavailable;
	struct region_ref outer = *region;

	outer.level = team.prev_ts.level;
	outer.team = outer.level ? team.prev_ts.team : find_target(process, region, &team);
	*ret = outer;
	return ompd_rc_ok;
}

ompd_rc_t gomp_region_thread(const struct process *process, const struct region_ref *region, uint32_t number,
			     struct thread_ref *ret)
{
	struct gomp_team team;
	ompd_addr_t address;

	if (!region->level) {
		if (number)
			return ompd_rc_bad_input;
		RC_TRY(region->team ? gomp_saved_owner(process, region->team, &address)
				    : gomp_region_root(process, region, &address));
		return gomp_thread_ref(process, address, ret);
	}
	RC_TRY(gomp_region_team(process, region, &team));
	if (number >= team.nthreads)
		return ompd_rc_bad_input;
	if (number)
		RC_TRY(gomp_team_member(process, &team, number, &address));
	else
		RC_TRY(gomp_team_primary(process, region, &team, &address));
	return gomp_thread_ref(process, address, ret);
}

/*
 * The barrier counts down. The barrier at the region's end has its own counter (config/linux/bar.h,
 * gcc 9 to 16).
 */
ompd_rc_t gomp_region_arrived(const struct process *process, const struct region_ref *region, uint32_t *ret)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	uint8_t bytes[MAX_BARRIER];
	struct gomp_team team;
	uint32_t span = 0;

	if (!region->level || !offset_known(l->team_barrier) || !offset_known(l->bar_awaited))
		return ompd_rc_unavailable;
	offsets_span(&span, l->bar_total, 4);
	offsets_span(&span, l->bar_generation, 4);
	offsets_span(&span, l->bar_awaited, 4);
	offsets_span(&span, l->bar_awaited_final, 4);
	if (span > sizeof(bytes))
		return ompd_rc_unavailable;
	RC_TRY(gomp_region_team(process, region, &team));
	RC_TRY(cb_read(process->context, region->team + l->team_barrier, span, bytes));
	uint32_t total = get_word(bytes, l->bar_total), generation = get_word(bytes, l->bar_generation);
	uint32_t left = get_word(bytes, l->bar_awaited), left_final = get_word(bytes, l->bar_awaited_final);

	/* Return unavailable if this is not a barrier of the team, or its layout differs. */
	if (total != team.nthreads || left > total || left_final > total || total - left > left_final ||
	    (generation & CANCELLED))
		return ompd_rc_unavailable;
	*ret = generation & WAITING_FOR_TASK ? total : total - left + total - left_final;
	return ompd_rc_ok;
}

/* The barrier stays with the memory of a team, which serves many regions: its generation counts their ends, too. */
ompd_rc_t gomp_thread_progress(const struct process *process, const struct thread_ref *ref, uint64_t *ret)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	struct gomp_thread thread;
	uint32_t generation = 0;
	uint64_t share = 0;

	if (!offset_known(l->team_barrier) || !offset_known(l->bar_generation) || !offset_known(l->ts_work_share))
		return ompd_rc_unavailable;
	RC_TRY(gomp_thread_read_member(process, ref->thread, &thread));
	RC_TRY(PROCESS_READ(process, ref->thread + l->th_ts + l->ts_work_share, &share));
	if (thread.ts.team)
		RC_TRY(PROCESS_READ(process, thread.ts.team + l->team_barrier + l->bar_generation, &generation));
	uint64_t sum = progress_add(thread.ts.level, thread.ts.team);

	sum = progress_add(sum, generation & ~FLAGS);
	sum = progress_add(sum, share);
	*ret = progress_add(sum, thread.task);
	return ompd_rc_ok;
}
