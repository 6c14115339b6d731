/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads of our runtime: finding their records, their ids and states; members of backend_omprt. */
#include <string.h>

#include "callbacks.h"
#include "omprt.h"

/* The record of each thread, a thread-local variable of this name. */
#define THREAD_SYMBOL "ompd_thread"

static bool size_fits(ompd_thread_id_t kind, ompd_size_t size)
{
	return kind == OMPD_THREAD_ID_PTHREAD ? size == sizeof(uint64_t)
					      : size == sizeof(uint32_t) || size == sizeof(uint64_t);
}

ompd_rc_t omprt_thread(const struct process *process, ompd_addr_t address, struct omprt_copy *thread)
{
	RC_TRY(omprt_read(process, LAYOUT_thread, address, thread));
	if (!omprt_field(thread, LAYOUT_thread_tid)) /* the runtime has not met it, or it has left */
		return ompd_rc_stale_handle;
	return ompd_rc_ok;
}

/*
 * Copy a thread and say whether it is idle in its pool. A thread that has reached the end of its region cannot know when the
 * last of its team does, and writes nothing then: its team is in another region by now, or in none.
 */
ompd_rc_t omprt_thread_idle(const struct process *process, const struct thread_ref *ref,
			    struct omprt_copy *thread, bool *idle_ret)
{
	struct omprt_copy team;

	RC_TRY(omprt_thread(process, ref->thread, thread));
	uint64_t state = omprt_field(thread, LAYOUT_thread_state);
	ompd_addr_t address = omprt_field(thread, LAYOUT_thread_team);

	*idle_ret = state == ompt_state_idle || !address;
	if (*idle_ret || state != ompt_state_wait_barrier_implicit_parallel || !omprt_field(thread, LAYOUT_thread_seat))
		return ompd_rc_ok;
	RC_TRY(omprt_read(process, LAYOUT_team, address, &team));
	*idle_ret = !omprt_field(&team, LAYOUT_team_in_use) ||
		    omprt_field(&team, LAYOUT_team_epoch) != omprt_field(thread, LAYOUT_thread_epoch);
	return ompd_rc_ok;
}

/* x86-64's thread control block points at itself (psABI, nptl). */
static ompd_rc_t check_tcb(const struct process *process, ompd_addr_t thread_pointer)
{
	struct {
		uint64_t tcb, dtv, self;
	} head;

	if (cb_read(process->context, thread_pointer, sizeof(head), &head) != ompd_rc_ok ||
	    head.tcb != thread_pointer || head.self != thread_pointer)
		return ompd_rc_bad_input;
	return ompd_rc_ok;
}

ompd_rc_t omprt_thread_find(const struct process *process, ompd_thread_id_t kind, ompd_size_t size,
			    const void *id, struct thread_ref *ret)
{
	ompd_thread_context_t *context;
	struct omprt_copy thread;
	ompd_addr_t address;
	uint64_t tid = 0, pthread = 0;

	if (kind != OMPD_THREAD_ID_PTHREAD && kind != OMPD_THREAD_ID_LWP)
		return ompd_rc_unsupported;
	if (!size_fits(kind, size))
		return ompd_rc_bad_input;
	RC_TRY(cb_thread_context(process->context, kind, size, id, &context));
	if (kind == OMPD_THREAD_ID_PTHREAD) { /* glibc's pthread_t is the thread pointer */
		memcpy(&pthread, id, size);
		RC_TRY(check_tcb(process, pthread));
		address = pthread + (uint64_t)omprt_of(process)->layout.thread_offset;
	} else {
		memcpy(&tid, id, size);
		RC_TRY(cb_symbol(process->context, context, THREAD_SYMBOL, NULL, &address));
	}
	RC_TRY(omprt_read(process, LAYOUT_thread, address, &thread));
	/* Zero until the runtime meets the thread. */
	if (!omprt_field(&thread, LAYOUT_thread_tid))
		return ompd_rc_unavailable;
	if ((tid && omprt_field(&thread, LAYOUT_thread_tid) != tid) ||
	    (pthread && omprt_field(&thread, LAYOUT_thread_pthread) != pthread))
		return ompd_rc_bad_input;
	ret->thread = address;
	ret->thread_pointer = omprt_field(&thread, LAYOUT_thread_pthread);
	return ompd_rc_ok;
}

ompd_rc_t omprt_thread_next(const struct process *process, const struct thread_ref *previous,
			    struct thread_ref *ret)
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
	ret->thread = address;
	ret->thread_pointer = omprt_field(&copy, LAYOUT_thread_pthread);
	return ompd_rc_ok;
}

ompd_rc_t omprt_thread_id(const struct process *process, const struct thread_ref *ref,
			  ompd_thread_id_t kind, ompd_size_t size, void *ret)
{
	struct omprt_copy thread;

	if (kind != OMPD_THREAD_ID_PTHREAD && kind != OMPD_THREAD_ID_LWP)
		return ompd_rc_unsupported;
	if (!size_fits(kind, size))
		return ompd_rc_bad_input;
	RC_TRY(omprt_thread(process, ref->thread, &thread));
	uint64_t id = omprt_field(&thread, kind == OMPD_THREAD_ID_LWP ? LAYOUT_thread_tid : LAYOUT_thread_pthread);

	memcpy(ret, &id, size); /* little-endian */
	return ompd_rc_ok;
}

ompd_rc_t omprt_thread_state(const struct process *process, const struct thread_ref *ref,
			     ompd_word_t *state, ompd_wait_id_t *wait_id)
{
	struct omprt_copy thread;
	bool idle;

	RC_TRY(omprt_thread_idle(process, ref, &thread, &idle));
	ompd_word_t now = idle ? (ompd_word_t)ompt_state_idle : (ompd_word_t)omprt_field(&thread, LAYOUT_thread_state);

	/* What it waited for stays there when it works again. */
	*wait_id = now >= ompt_state_wait_barrier && now < ompt_state_idle ? omprt_field(&thread, LAYOUT_thread_wait_id) : 0;
	*state = now;
	return ompd_rc_ok;
}

ompd_rc_t omprt_thread_region(const struct process *process, const struct thread_ref *ref,
			      struct region_ref *ret)
{
	struct omprt_copy thread, team;
	bool idle;

	RC_TRY(omprt_thread_idle(process, ref, &thread, &idle));
	if (idle)
		return ompd_rc_unavailable;
	return omprt_team(process, omprt_field(&thread, LAYOUT_thread_team), &team, ret);
}

ompd_rc_t omprt_thread_task(const struct process *process, const struct thread_ref *ref, struct task_ref *ret)
{
	struct omprt_copy thread, task;
	bool idle;

	RC_TRY(omprt_thread_idle(process, ref, &thread, &idle));
	ompd_addr_t address = omprt_field(&thread, LAYOUT_thread_task);

	if (idle || !address)
		return ompd_rc_unavailable;
	return omprt_task(process, address, &task, ret);
}
