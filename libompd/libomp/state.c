/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Wait states of stock libomp's threads, if memory proves them: without a tool, libomp stores no
 * states. In backend_libomp.
 */
#include <string.h>

#include "libomp/libomp.h"

/* Kinds of barriers: their index in the arrays of threads and teams. */
enum { BARRIER_PLAIN, BARRIER_FORK_JOIN, BARRIER_REDUCTION, BARRIERS };

#define MAX_BARRIERS_SIZE 1024

/* The counter of a thread that has arrived is this much higher than its team's. */
#define BUMP 4u
/*
 * A thread sleeps on an object on its stack. One of the object's first words is the address of the
 * word that is to change.
 */
#define SLEEP_WORDS 8

/* Flags of ident_t. */
#define IDENT_BARRIER_EXPLICIT 0x20u
#define IDENT_BARRIER_IMPLICIT 0x40u

/* Return the state of the last barrier that @thread encountered. */
static ompd_word_t get_plain_state(const struct process *process, const struct libomp_thread *thread)
{
	const struct libomp_layout *l = &libomp_of(process)->layout;
	uint32_t flags = 0;

	if (thread->ident && offset_known(l->ident_flags) &&
	    PROCESS_READ(process, thread->ident + l->ident_flags, &flags) != ompd_rc_ok)
		flags = 0;
	if (flags & IDENT_BARRIER_EXPLICIT)
		return ompt_state_wait_barrier_explicit;
	return flags & IDENT_BARRIER_IMPLICIT ? ompt_state_wait_barrier_implicit_workshare : ompt_state_wait_barrier;
}

static ompd_word_t get_barrier_state(const struct process *process, const struct libomp_thread *thread,
				     unsigned barrier)
{
	if (barrier == BARRIER_FORK_JOIN)
		return ompt_state_wait_barrier_implicit_parallel;
	return barrier == BARRIER_PLAIN ? get_plain_state(process, thread) : ompt_state_wait_barrier_implementation;
}

static bool has_barriers(const struct libomp_layout *l)
{
	return offset_known(l->th_bar) && offset_known(l->bar_size) && offset_known(l->bar_arrived) &&
	       offset_known(l->bar_go) && offset_known(l->team_bar) && offset_known(l->team_bar_size) &&
	       BARRIERS * l->bar_size <= MAX_BARRIERS_SIZE && BARRIERS * l->team_bar_size <= MAX_BARRIERS_SIZE;
}

/*
 * A thread that is not the primary thread counts its arrival. The team's counter follows when all
 * threads have arrived.
 */
static ompd_rc_t find_arrival(const struct process *process, const struct libomp_thread *thread,
			      const struct libomp_team *team, unsigned *ret)
{
	const struct libomp_layout *l = &libomp_of(process)->layout;
	uint8_t own_bytes[MAX_BARRIERS_SIZE], all_bytes[MAX_BARRIERS_SIZE];

	if (!thread->tid)
		return ompd_rc_unavailable;
	RC_TRY(cb_read(process->context, thread->address + l->th_bar, BARRIERS * l->bar_size, own_bytes));
	RC_TRY(cb_read(process->context, team->address + l->team_bar, BARRIERS * l->team_bar_size, all_bytes));
	for (unsigned i = 0; i < BARRIERS; i++) {
		uint64_t own, all;

		memcpy(&own, own_bytes + i * l->bar_size + l->bar_arrived, sizeof(own));
		memcpy(&all, all_bytes + i * l->team_bar_size, sizeof(all));
		/* The lowest bits show whether a thread sleeps: compare without them. */
		if (own / BUMP == all / BUMP + 1) {
			*ret = i;
			return ompd_rc_ok;
		}
	}
	return ompd_rc_unavailable;
}

/*
 * Return whether @word is the arrival counter of thread @address of @team, or the team's, and of
 * which barrier.
 */
static bool is_arrival(const struct process *process, const struct libomp_team *team, ompd_addr_t word, unsigned *ret)
{
	const struct libomp_layout *l = &libomp_of(process)->layout;
	struct libomp_thread thread;
	ompd_addr_t listed;

	for (unsigned i = 0; i < BARRIERS; i++) {
		ompd_addr_t address = word - l->th_bar - i * l->bar_size - l->bar_arrived;

		if (address > word || libomp_thread_read(process, address, &thread) != ompd_rc_ok ||
		    thread.team != team->address || thread.tid < 0 || thread.tid >= team->nproc ||
		    libomp_team_member(process, team, thread.tid, &listed) != ompd_rc_ok || listed != address)
			continue;
		*ret = i;
		return true;
	}
	return false;
}

/*
 * Find the barrier of a thread that sleeps until another thread of its team arrives, or (*@is_own)
 * until it may continue.
 */
static ompd_rc_t find_sleep(const struct process *process, const struct libomp_thread *thread,
			    const struct libomp_team *team, unsigned *barrier, bool *is_own)
{
	const struct libomp_layout *l = &libomp_of(process)->layout;
	ompd_addr_t words[SLEEP_WORDS];

	if (!thread->sleep_loc)
		return ompd_rc_unavailable;
	RC_TRY(cb_read(process->context, thread->sleep_loc, sizeof(words), words));
	for (size_t i = 0; i < SLEEP_WORDS; i++) {
		for (unsigned k = 0; k < BARRIERS; k++) {
			if (words[i] != thread->address + l->th_bar + k * l->bar_size + l->bar_go)
				continue;
			*barrier = k;
			*is_own = true;
			return ompd_rc_ok;
		}
		if (words[i] && is_arrival(process, team, words[i], barrier)) {
			*is_own = false;
			return ompd_rc_ok;
		}
	}
	return ompd_rc_unavailable;
}

/* In a barrier, a thread executes its own task again, or no task. */
static bool is_own_task(const struct process *process, const struct libomp_thread *thread,
			const struct libomp_team *team)
{
	return thread->current_task ==
	       team->implicit_tasks + (uint64_t)thread->tid * libomp_of(process)->layout.td_size;
}

static ompd_rc_t find_barrier(const struct process *process, const struct libomp_thread *thread,
			      const struct libomp_team *team, ompd_word_t *state, ompd_wait_id_t *wait_id)
{
	const struct libomp_layout *l = &libomp_of(process)->layout;
	unsigned barrier;
	bool is_own;

	if (!has_barriers(l) || !is_own_task(process, thread, team))
		return ompd_rc_unavailable;
	ompd_rc_t rc = find_arrival(process, thread, team, &barrier);

	if (rc != ompd_rc_ok)
		RC_TRY(find_sleep(process, thread, team, &barrier, &is_own));
	/*
	 * A member that was called but has not started sleeps at the same address as a thread that
	 * waits to be called.
	 */
	if (rc != ompd_rc_ok && barrier == BARRIER_FORK_JOIN && is_own) {
		*state = ompt_state_overhead;
		*wait_id = 0;
		return ompd_rc_ok;
	}
	*state = get_barrier_state(process, thread, barrier);
	/* One wait id for the whole team: each thread sleeps on its own word. */
	*wait_id = team->address + l->team_bar + barrier * l->team_bar_size;
	return ompd_rc_ok;
}

/*
 * In taskwait a task waits for its children, at the end of a taskgroup for all tasks in it. libomp
 * records both in the same way.
 */
static ompd_rc_t find_taskwait(const struct process *process, const struct libomp_thread *thread, ompd_word_t *state,
			       ompd_wait_id_t *wait_id)
{
	const struct libomp_layout *l = &libomp_of(process)->layout;
	struct libomp_task task;
	int32_t in_group = 0;

	if (!offset_known(l->td_incomplete) || !offset_known(l->td_taskgroup))
		return ompd_rc_unavailable;
	RC_TRY(libomp_taskwait(process, thread, &task));
	if (task.taskgroup)
		RC_TRY(PROCESS_READ(process, task.taskgroup + l->tg_count, &in_group));
	if (in_group > 0 && task.incomplete > 0) /* could be either */
		return ompd_rc_unavailable;
	*state = in_group > 0 ? ompt_state_wait_taskgroup : ompt_state_wait_taskwait;
	*wait_id = in_group > 0 ? task.taskgroup + l->tg_count : thread->current_task + l->td_incomplete;
	return ompd_rc_ok;
}

static ompd_rc_t find_queue(const struct process *process, const struct libomp_thread *thread, ompd_word_t *state,
			    ompd_wait_id_t *wait_id)
{
	bool is_critical;
	ompd_addr_t lock;

	RC_TRY(libomp_queue_of(process, thread, &lock, &is_critical));
	*state = is_critical ? ompt_state_wait_critical : ompt_state_wait_lock;
	*wait_id = lock;
	return ompd_rc_ok;
}

ompd_rc_t libomp_thread_state(const struct process *process, const struct thread_ref *ref, ompd_word_t *state,
			      ompd_wait_id_t *wait_id)
{
	struct libomp_thread thread;
	struct libomp_team team;
	ompd_rc_t rc = libomp_thread_member(process, ref->thread, &thread, &team);

	if (rc == ompd_rc_unavailable) {
		ompd_addr_t primary = 0;

		if (thread.team && libomp_team_is_given_back(&team))
			RC_TRY(libomp_team_member(process, &team, 0, &primary));
		if (primary == thread.address)
			return ompd_rc_unavailable;
		*state = ompt_state_idle;
		*wait_id = 0;
		return ompd_rc_ok;
	}
	if (rc == ompd_rc_ok)
		rc = find_queue(process, &thread, state, wait_id);
	if (rc == ompd_rc_unavailable)
		rc = find_taskwait(process, &thread, state, wait_id);
	if (rc == ompd_rc_unavailable)
		rc = find_barrier(process, &thread, &team, state, wait_id);
	return rc;
}

/* The counters of a team go on when it serves the next region. */
ompd_rc_t libomp_thread_progress(const struct process *process, const struct thread_ref *ref, uint64_t *ret)
{
	const struct libomp_layout *l = &libomp_of(process)->layout;
	uint8_t counters[MAX_BARRIERS_SIZE];
	struct libomp_thread thread;
	struct libomp_team team;

	if (!has_barriers(l))
		return ompd_rc_unavailable;
	RC_TRY(libomp_thread_member(process, ref->thread, &thread, &team));
	RC_TRY(cb_read(process->context, team.address + l->team_bar, BARRIERS * l->team_bar_size, counters));
	uint64_t sum = progress_add((uint64_t)team.level, team.address);

	for (unsigned i = 0; i < BARRIERS; i++) {
		uint64_t count;

		memcpy(&count, counters + i * l->team_bar_size, sizeof(count));
		sum = progress_add(sum, count / BUMP);
	}
	sum = progress_add(sum, team.fn);
	sum = progress_add(sum, thread.ident);
	*ret = progress_add(sum, thread.current_task);
	return ompd_rc_ok;
}
