/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads of our runtime: records, ids and states; members of backend_omprt. */
#include <string.h>

#include "glibc.h"
#include "omprt/omprt.h"

/* The thread-local variable with each thread's record. */
#define THREAD_SYMBOL "ompd_thread"

/*
 * Return whether the thread's own record may be outdated: it has not run since its creation, waits
 * in its seat, or is leaving the seat.
 */
static bool may_be_called(const struct omprt_copy *thread)
{
	uint64_t state = omprt_field(thread, LAYOUT_thread_state);

	return !omprt_field(thread, LAYOUT_thread_tid) || !omprt_field(thread, LAYOUT_thread_team) ||
	       state == ompt_state_idle || state == ompt_state_overhead ||
	       state == ompt_state_wait_barrier_implicit_parallel;
}

/*
 * Determine a thread's place from its pool. A pool thread cannot know when the last thread of its
 * team reaches the region's end, so it writes nothing. A thread that is called for the next region
 * records that only when it runs. The pool shows whether the team is in use, and its size.
 */
static ompd_rc_t find_by_pool(const struct process *process, const struct omprt_copy *thread, struct omprt_place *ret)
{
	struct omprt_copy seat, pool, team;
	struct omprt_place place = {.where = OMPRT_IDLE};

	RC_TRY(omprt_read(process, LAYOUT_seat, omprt_field(thread, LAYOUT_thread_seat), &seat));
	ompd_addr_t own = omprt_field(&seat, LAYOUT_seat_pool);

	/*
	 * A thread that ends with its pool names its seat until it has ended. Another thread may
	 * use that memory by then.
	 */
	if (omprt_field(&seat, LAYOUT_seat_thread) != thread->address) {
		*ret = place;
		return ompd_rc_ok;
	}
	RC_TRY(omprt_read(process, LAYOUT_pool, own, &pool));
	ompd_addr_t called = omprt_field(&pool, LAYOUT_pool_team);

	if (ret->team && ret->team != called) {
		RC_TRY(omprt_read(process, LAYOUT_team, ret->team, &team));
		/* The team belongs to another pool: the thread is the primary thread of an inner region. */
		if (omprt_field(&team, LAYOUT_team_pool) != own)
			return ompd_rc_ok;
	}
	if (called) {
		RC_TRY(omprt_read(process, LAYOUT_team, called, &team));
		place.thread_num = omprt_field(&seat, LAYOUT_seat_thread_num);
		if (omprt_field(&team, LAYOUT_team_in_use) &&
		    place.thread_num < omprt_field(&team, LAYOUT_team_n_threads)) {
			bool begun = ret->team == called &&
				     omprt_field(&team, LAYOUT_team_epoch) == omprt_field(thread, LAYOUT_thread_epoch);

			place.where = begun ? OMPRT_INSIDE : OMPRT_CALLED;
			place.team = called;
		}
	}
	*ret = place;
	return ompd_rc_ok;
}

ompd_rc_t omprt_thread_place(const struct process *process, const struct thread_ref *ref, struct omprt_copy *thread,
			     struct omprt_place *ret)
{
	RC_TRY(omprt_thread(process, ref->thread, thread));
	struct omprt_place place = {
		.team = omprt_field(thread, LAYOUT_thread_team),
		.thread_num = omprt_field(thread, LAYOUT_thread_thread_num),
	};

	place.where = place.team ? OMPRT_INSIDE : OMPRT_IDLE;
	if (omprt_field(thread, LAYOUT_thread_seat) && may_be_called(thread))
		RC_TRY(find_by_pool(process, thread, &place));
	*ret = place;
	return ompd_rc_ok;
}

ompd_rc_t omprt_thread_find(const struct process *process, ompd_thread_id_t kind, ompd_size_t size, const void *id,
			    struct thread_ref *ret)
{
	ompd_thread_context_t *context;
	struct omprt_copy thread;
	ompd_addr_t address;
	uint64_t tid = 0, pthread = 0;

	RC_TRY(glibc_check_kind(kind, size));
	RC_TRY(cb_thread_context(process->context, kind, size, id, &context));
	if (kind == OMPD_THREAD_ID_PTHREAD) {
		memcpy(&pthread, id, size);
		ompd_addr_t pointer = pthread + omprt_of(process)->behind;

		RC_TRY(glibc_check_tcb(process->context, pointer));
		address = pointer + (uint64_t)omprt_of(process)->layout.thread_offset;
	} else {
		memcpy(&tid, id, size);
		RC_TRY(cb_symbol(process->context, context, THREAD_SYMBOL, NULL, &address));
	}
	RC_TRY(omprt_read(process, LAYOUT_thread, address, &thread));
	if (!omprt_field(&thread, LAYOUT_thread_tid)) {
		/*
		 * The record is zero until the thread encounters the runtime. A thread that the
		 * runtime created has its seat from the start.
		 */
		if (!omprt_field(&thread, LAYOUT_thread_seat))
			return ompd_rc_unavailable;
	} else if ((tid && omprt_field(&thread, LAYOUT_thread_tid) != tid) ||
		   (pthread && omprt_field(&thread, LAYOUT_thread_pthread) != pthread)) {
		return ompd_rc_bad_input;
	}
	*ret = omprt_thread_at(process, address);
	return ompd_rc_ok;
}

ompd_rc_t omprt_thread_next(const struct process *process, const struct thread_ref *previous, struct thread_ref *ret)
{
	struct omprt_copy copy;
	ompd_addr_t address;

	if (previous) {
		RC_TRY(omprt_thread(process, previous->thread, &copy));
		address = omprt_field(&copy, LAYOUT_thread_next);
	} else {
		RC_TRY(omprt_read(process, LAYOUT_root, omprt_of(process)->layout.root, &copy));
		address = omprt_field(&copy, LAYOUT_root_threads);
	}
	if (!address)
		return ompd_rc_unavailable;
	RC_TRY(omprt_thread(process, address, &copy));
	*ret = omprt_thread_at(process, address);
	return ompd_rc_ok;
}

ompd_rc_t omprt_thread_id(const struct process *process, const struct thread_ref *ref, ompd_thread_id_t kind,
			  ompd_size_t size, void *ret)
{
	struct omprt_copy thread;

	RC_TRY(glibc_check_kind(kind, size));
	RC_TRY(omprt_thread(process, ref->thread, &thread));
	uint64_t id = kind == OMPD_THREAD_ID_LWP ? omprt_field(&thread, LAYOUT_thread_tid)
						 : ref->thread_pointer - omprt_of(process)->behind;

	if (!id) /* the thread has not run yet: only the kernel knows its id */
		return ompd_rc_unavailable;
	memcpy(ret, &id, size); /* little-endian */
	return ompd_rc_ok;
}

ompd_rc_t omprt_thread_state(const struct process *process, const struct thread_ref *ref, ompd_word_t *state,
			     ompd_wait_id_t *wait_id)
{
	struct omprt_copy thread;
	struct omprt_place place;

	RC_TRY(omprt_thread_place(process, ref, &thread, &place));
	ompd_word_t now = (ompd_word_t)omprt_field(&thread, LAYOUT_thread_state);

	if (place.where == OMPRT_IDLE)
		now = ompt_state_idle;
	else if (place.where == OMPRT_CALLED)
		now = ompt_state_overhead;
	/* The wait id stays in memory when the wait ends: it counts only in a wait state. */
	*wait_id = now >= ompt_state_wait_barrier && now < ompt_state_idle ? omprt_field(&thread, LAYOUT_thread_wait_id)
									   : 0;
	*state = now;
	return ompd_rc_ok;
}

ompd_rc_t omprt_thread_region(const struct process *process, const struct thread_ref *ref, struct region_ref *ret)
{
	struct omprt_copy thread, team;
	struct omprt_place place;

	RC_TRY(omprt_thread_place(process, ref, &thread, &place));
	/* unavailable for a thread that is idle */
	return omprt_team(process, place.team, &team, ret);
}

ompd_rc_t omprt_thread_task(const struct process *process, const struct thread_ref *ref, struct task_ref *ret)
{
	struct omprt_copy thread, team, task;
	struct omprt_place place;
	struct region_ref region;
	uint64_t number;

	RC_TRY(omprt_thread_place(process, ref, &thread, &place));
	RC_TRY(omprt_team(process, place.team, &team, &region));
	ompd_addr_t address = omprt_field(&thread, LAYOUT_thread_task);

	if (place.where == OMPRT_CALLED) {
		*ret = omprt_implicit_task(process, &region, &team, place.thread_num);
		return ompd_rc_ok;
	}
	if (omprt_is_implicit(process, &team, address, &number)) {
		*ret = omprt_implicit_task(process, &region, &team, number);
		return ompd_rc_ok;
	}
	return omprt_task(process, address, &task, ret);
}

ompd_rc_t omprt_thread_progress(const struct process *process, const struct thread_ref *ref, uint64_t *ret)
{
	struct omprt_copy thread, team, member, task;
	struct omprt_place place;

	RC_TRY(omprt_thread_place(process, ref, &thread, &place));
	if (place.where != OMPRT_INSIDE)
		return ompd_rc_unavailable;
	RC_TRY(omprt_read(process, LAYOUT_team, place.team, &team));
	if (place.thread_num >= omprt_field(&team, LAYOUT_team_n_threads))
		return ompd_rc_unavailable;
	RC_TRY(omprt_read(process, LAYOUT_member, omprt_member(&team, place.thread_num), &member));
	RC_TRY(omprt_read(process, LAYOUT_task, omprt_field(&thread, LAYOUT_thread_task), &task));
	uint64_t sum = progress_add(0, omprt_field(&team, LAYOUT_team_sequence));

	sum = progress_add(sum, omprt_field(&thread, LAYOUT_thread_barrier_count));
	sum = progress_add(sum, omprt_field(&member, LAYOUT_member_share_number));
	sum = progress_add(sum, omprt_field(&member, LAYOUT_member_chunk_begin));
	sum = progress_add(sum, omprt_field(&task, LAYOUT_task_sequence));
	*ret = progress_add(sum, task.address);
	return ompd_rc_ok;
}
