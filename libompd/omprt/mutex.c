/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Locks of our runtime: each records the thread that holds it; in backend_omprt. */
#include "callbacks.h"
#include "omprt/omprt.h"
#include "ompd-more.h"

/*
 * Find the thread that writes @word into its locks, in the runtime's list. unavailable: there is no
 * such thread.
 */
static ompd_rc_t find_thread(const struct process *process, uint32_t word, struct thread_ref *ret)
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
	RC_TRY(cb_read(process->context, lock, sizeof(word), &word));
	word &= ~LAYOUT_LOCK_SLEEPERS;
	if (!word) {
		*ret = owner;
		return ompd_rc_ok;
	}
	if (!(word & LAYOUT_LOCK_UNKNOWN) || word == LAYOUT_LOCK_UNKNOWN || word & LAYOUT_LOCK_NEVER)
		return ompd_rc_unavailable;
	ompd_rc_t rc = find_thread(process, word, &owner.thread);
	if (rc != ompd_rc_ok && rc != ompd_rc_unavailable)
		return rc;
	owner.has_thread = rc == ompd_rc_ok;
	owner.state = owner.has_thread ? ompd_mutex_held : ompd_mutex_orphaned;
	*ret = owner;
	return ompd_rc_ok;
}
