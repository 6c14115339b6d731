/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The thread whose turn it is in an ordered loop of stock libgomp; in backend_gomp. The team's
 * threads queue by their numbers. With a static schedule the queue has one element: the next
 * thread.
 */
#include "awaited_list.h"
#include "callbacks.h"
#include "gomp/gomp.h"

static bool is_known(const struct gomp *g)
{
	const struct gomp_layout *l = &g->layout;

	/*
	 * Return whether the loads of GOMP_ordered_start() agree with the table in the fields that
	 * this file needs.
	 */
	return offset_known(l->ts_work_share) && offset_known(l->ws_ordered_ids) && offset_known(l->ws_ordered_owner) &&
	       offset_known(l->ws_ordered_cur) && g->seen_work_share == l->ts_work_share &&
	       g->seen_ordered_owner == l->ws_ordered_owner;
}

ompd_rc_t gomp_awaited_as(const struct process *process, const struct thread_ref *ref, ompd_word_t state,
			  struct awaited_list *list)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	struct gomp_thread thread;
	struct gomp_team team;
	struct region_ref region;
	struct awaited item = {.has_thread = true};
	ompd_addr_t share, ids;
	uint32_t current, number;

	if (state != ompt_state_wait_ordered || !is_known(gomp_of(process)))
		return ompd_rc_unavailable;
	RC_TRY(gomp_thread_work_share(process, ref, &thread, &team, &share));
	if (team.nthreads < 2)
		return ompd_rc_unavailable;
	RC_TRY(cb_read(process->context, share + l->ws_ordered_ids, sizeof(ids), &ids));
	RC_TRY(cb_read(process->context, share + l->ws_ordered_cur, sizeof(current), &current));
	if (!ids || current >= team.nthreads)
		return ompd_rc_unavailable;
	RC_TRY(cb_read(process->context, ids + current * sizeof(number), sizeof(number), &number));
	if (number >= team.nthreads)
		return ompd_rc_unavailable;
	list->is_complete = true;
	if (number == thread.ts.team_id) /* it is the thread's own turn */
		return ompd_rc_ok;
	RC_TRY(gomp_thread_region(process, ref, &region));
	RC_TRY(gomp_region_thread(process, &region, number, &item.thread));
	return awaited_list_add(list, &item);
}
