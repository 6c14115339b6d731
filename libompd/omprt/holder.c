/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The thread that others of our runtime wait for: the holder of a lock, the thread whose turn it is
 * in an ordered loop, and the thread that executes a single with copyprivate. In backend_omprt.
 */
#include "omprt/omprt.h"

/*
 * Find the thread that writes @word into its locks, in the runtime's list. unavailable: there is no
 * such thread.
 */
static ompd_rc_t find_owner(const struct process *process, uint32_t word, struct thread_ref *ret)
{
	struct thread_ref thread;
	struct omprt_copy copy;
	ompd_rc_t rc = omprt_thread_next(process, NULL, &thread);

	for (unsigned i = 0; rc == ompd_rc_ok && i < OMPRT_MAX_THREADS; i++) {
		RC_TRY(omprt_thread(process, thread.thread, &copy));
		if (omprt_field(&copy, LAYOUT_thread_lock_word) == word) {
			*ret = thread;
			return ompd_rc_ok;
		}
		rc = omprt_thread_next(process, &thread, &thread);
	}
	return rc == ompd_rc_ok ? ompd_rc_error : rc;
}

ompd_rc_t omprt_mutex_owner(const struct process *process, ompd_addr_t lock, ompd_word_t kind, struct mutex_owner *ret)
{
	struct mutex_owner owner = {.state = ompd_mutex_free};
	uint32_t word;

	(void)kind; /* all kinds start with the same word */
	RC_TRY(PROCESS_READ(process, lock, &word));
	word &= ~LAYOUT_LOCK_SLEEPERS;
	if (!word) {
		*ret = owner;
		return ompd_rc_ok;
	}
	if (!(word & LAYOUT_LOCK_UNKNOWN) || word == LAYOUT_LOCK_UNKNOWN || word & LAYOUT_LOCK_NEVER)
		return ompd_rc_unavailable;
	ompd_rc_t rc = find_owner(process, word, &owner.thread);
	if (rc != ompd_rc_ok && rc != ompd_rc_unavailable)
		return rc;
	owner.has_thread = rc == ompd_rc_ok;
	owner.state = owner.has_thread ? ompd_mutex_held : ompd_mutex_orphaned;
	*ret = owner;
	return ompd_rc_ok;
}

/* Return whether @member is in the same construct of its team as the waiting thread. */
static bool is_beside(const struct omprt_waiting *w, const struct omprt_copy *member)
{
	return omprt_field(member, LAYOUT_member_thread) &&
	       omprt_field(member, LAYOUT_member_share_ws) == omprt_field(&w->member, LAYOUT_member_share_ws) &&
	       omprt_field(member, LAYOUT_member_share_number) == omprt_field(&w->member, LAYOUT_member_share_number);
}

/* Return whether @member itself waits for the data of the single construct at @ws. */
static ompd_rc_t waits_for_data(const struct omprt_waiting *w, const struct omprt_copy *member, ompd_addr_t ws,
				bool *ret)
{
	struct omprt_copy thread;

	RC_TRY(omprt_thread(w->process, omprt_field(member, LAYOUT_member_thread), &thread));
	*ret = omprt_field(&thread, LAYOUT_thread_state) == ompt_state_wait_barrier_implicit_workshare &&
	       omprt_field(&thread, LAYOUT_thread_wait_id) == ws + omprt_offset(w->process, LAYOUT_workshare_tag);
	return ompd_rc_ok;
}

enum sought { TURN, FLAG, FLAG_OF_THREAD, DATA };

/* Return whether @member, number @i of the team, is the awaited thread. */
static ompd_rc_t is_awaited(const struct omprt_waiting *w, const struct omprt_copy *member, uint64_t i,
			    enum sought what, uint64_t value, bool *ret)
{
	uint64_t begin = omprt_field(member, LAYOUT_member_chunk_begin);
	bool waits;

	*ret = false;
	switch (what) {
	case TURN:
		*ret = is_beside(w, member) && omprt_field(member, LAYOUT_member_in_order) == LAYOUT_LOOP_ORDERED &&
		       begin == value && begin != omprt_field(member, LAYOUT_member_chunk_end);
		break;
	case FLAG:
		*ret = is_beside(w, member) && omprt_field(member, LAYOUT_member_in_order) == LAYOUT_LOOP_DOACROSS &&
		       omprt_field(member, LAYOUT_member_flag) == value;
		break;
	case FLAG_OF_THREAD:
		*ret = i == value && omprt_field(member, LAYOUT_member_thread);
		break;
	case DATA:
		if (!is_beside(w, member))
			break;
		RC_TRY(waits_for_data(w, member, value, &waits));
		*ret = !waits;
		break;
	}
	return ompd_rc_ok;
}

/* Find the awaited member, if it is the only match. */
static ompd_rc_t find_member(const struct omprt_waiting *w, enum sought what, uint64_t value, struct awaited_list *list)
{
	uint64_t n = omprt_field(&w->team, LAYOUT_team_n_threads);
	struct omprt_copy member, found;
	unsigned n_found = 0;
	bool is_one;

	for (uint64_t i = 0; i < n && i < OMPRT_MAX_THREADS; i++) {
		RC_TRY(omprt_read(w->process, LAYOUT_member, omprt_member(&w->team, i), &member));
		if (i == w->number)
			continue;
		RC_TRY(is_awaited(w, &member, i, what, value, &is_one));
		if (!is_one)
			continue;
		n_found++;
		found = member;
	}
	list->is_complete = n_found == 1;
	if (n_found != 1)
		return ompd_rc_ok;
	return awaited_add_thread(list, omprt_thread_at(w->process, omprt_field(&found, LAYOUT_member_thread)));
}

ompd_rc_t omprt_holder(const struct omprt_waiting *w, ompd_word_t state, struct awaited_list *list)
{
	ompd_addr_t ws = omprt_field(&w->member, LAYOUT_member_share_ws);
	struct omprt_copy shared, doacross;

	if (!ws)
		return ompd_rc_unavailable;
	RC_TRY(omprt_read(w->process, LAYOUT_workshare, ws, &shared));
	if (state == ompt_state_wait_barrier_implicit_workshare) {
		if (w->wait_id != ws + omprt_offset(w->process, LAYOUT_workshare_tag))
			return ompd_rc_unavailable;
		if (omprt_field(&shared, LAYOUT_workshare_tag) ==
		    2 * omprt_field(&w->member, LAYOUT_member_share_number)) {
			list->is_complete = true; /* the data is ready */
			return ompd_rc_ok;
		}
		return find_member(w, DATA, ws, list);
	}
	if (w->wait_id == ws + omprt_offset(w->process, LAYOUT_workshare_turn))
		return find_member(w, TURN, omprt_field(&shared, LAYOUT_workshare_turn), list);
	ompd_addr_t address = omprt_field(&shared, LAYOUT_workshare_doacross);
	if (!address || omprt_field(&w->member, LAYOUT_member_in_order) != LAYOUT_LOOP_DOACROSS)
		return ompd_rc_unavailable;
	RC_TRY(omprt_read(w->process, LAYOUT_doacross, address, &doacross));
	ompd_addr_t flags = omprt_field(&doacross, LAYOUT_doacross_flags);
	uint64_t size = omprt_of(w->process)->layout.entries[LAYOUT_doacross_flag].size;
	if (!size || w->wait_id < flags || (w->wait_id - flags) % size ||
	    (w->wait_id - flags) / size >= omprt_field(&doacross, LAYOUT_doacross_n_flags))
		return ompd_rc_unavailable;
	/* Static schedules have a flag for each thread. */
	if (omprt_field(&shared, LAYOUT_workshare_kind) <= LAYOUT_LOOP_STATIC_CHUNKS)
		return find_member(w, FLAG_OF_THREAD, (w->wait_id - flags) / size, list);
	return find_member(w, FLAG, w->wait_id, list);
}
