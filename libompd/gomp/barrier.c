/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The number of threads that have arrived at a team's barrier in stock libgomp; a member of
 * backend_gomp. The barrier counts down. The barrier at the region's end has its own counter
 * (config/linux/bar.h, gcc 9 to 16).
 */
#include <string.h>

#include "callbacks.h"
#include "gomp/gomp.h"

/*
 * Flags of the generation. WAITING_FOR_TASK: all threads have arrived and execute the remaining
 * tasks. CANCELLED: the region was cancelled, and threads that left are not counted.
 */
#define WAITING_FOR_TASK 2
#define CANCELLED	 4

#define MAX_BARRIER 128

static uint32_t word_at(const uint8_t *bytes, uint32_t offset)
{
	uint32_t word;

	memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

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
	uint32_t total = word_at(bytes, l->bar_total), generation = word_at(bytes, l->bar_generation);
	uint32_t left = word_at(bytes, l->bar_awaited), left_final = word_at(bytes, l->bar_awaited_final);

	/* Return unavailable if this is not a barrier of the team, or its layout differs. */
	if (total != team.nthreads || left > total || left_final > total || total - left > left_final ||
	    (generation & CANCELLED))
		return ompd_rc_unavailable;
	*ret = generation & WAITING_FOR_TASK ? total : total - left + total - left_final;
	return ompd_rc_ok;
}
