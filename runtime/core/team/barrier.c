/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrival at a barrier, the wait, during which tasks run, and the release of the others. */
#include "core/team/barrier.h"

#include <limits.h>

#include "core/state/barrier_word.h"
#include "core/state/task.h"
#include "core/state/team.h"
#include "core/state/thread.h"
#include "core/sync/sleep.h"
#include "core/sync/wait.h"
#include "core/sync/wake.h"
#include "core/task/task_run.h"
#include "core/team/tool_region.h"
#include "os/fence.h"
#include "os/futex.h"
#include "os/spin.h"
#include "tools/observer.h"
#include "tools/ompd.h"
#include "tools/point.h"

/*
 * Sleeps while the word is @w (core/sync/sleep.h). The first call only announces the sleep by the bit, and the caller
 * checks once more. A thread that finds the bit set may sleep at once, without a fence. It may miss a change, but the
 * thread that set the bit checks after its fence: it runs new tasks, and passes on what concerns all members
 * (wait_for_members()). An arrival changes the word itself, so no thread misses it.
 */
static void sleep_while(struct barrier *b, uint64_t w)
{
	if (!(w & BARRIER_SLEEPERS)) {
		/*
		 * If the word has changed, the caller reads it first. Release: a thread that finds the bit also sees
		 * what this thread had seen.
		 */
		if (__atomic_compare_exchange_n(&b->word, &w, w | BARRIER_SLEEPERS, false, __ATOMIC_RELEASE,
						__ATOMIC_RELAXED))
			sleep_prepare();
		return;
	}
	sleep_on(futex_low_half(&b->word), (uint32_t)w, fence_works() ? 0 : FENCE_BLIND_NS);
}

/* Returns whether the barrier of arrival count @target is complete in @w. */
static inline bool is_complete(uint64_t w, uint32_t target)
{
	int32_t ahead = (int32_t)(barrier_arrived(w) - target);

	return ahead > 0 || (ahead == 0 && !(w & BARRIER_TASKS));
}

static inline bool have_all_arrived(uint64_t w, uint32_t target)
{
	return barrier_arrived(w) == target;
}

/* Many members have not arrived, and each needs the word's cache line. Reading it now only delays them. */
#define MANY 4

static void pause_for_distance(uint32_t distance)
{
	if ((int32_t)distance < 0)
		return;
	for (uint32_t i = distance < 64 ? distance : 64; i; i--)
		spin_pause();
}

/* Makes the wait visible to a debugger: its state, its wait id and the frame. Returns the state before. */
static inline uint32_t show_wait(struct thread *t, ompt_state_t state, const void *frame)
{
	if (frame)
		task_enter_runtime(t->task, (struct site){NULL, frame});
	return state_wait(t, state, &t->team->barrier);
}

static inline void hide_wait(struct thread *t, uint32_t before, const void *frame)
{
	state_restore(t, before);
	if (frame)
		task_leave_runtime(t->task);
}

/* Runs tasks or waits. Returns true if the region was cancelled. */
static __attribute__((noinline)) bool wait_for_members(struct thread *t, uint32_t target, ompt_state_t state,
						       const void *frame, bool cancellable)
{
	struct team *team = t->team;
	struct barrier *b = &team->barrier;
	struct waiter waiter = {0};
	uint32_t before = show_wait(t, state, frame);
	bool cancelled = false;

	for (;;) {
		/*
		 * Acquire: see what the others did before they arrived, and what preceded the clearing of
		 * BARRIER_TASKS.
		 */
		uint64_t w = __atomic_load_n(&b->word, __ATOMIC_ACQUIRE);

		if (is_complete(w, target))
			break;
		if (cancellable && __atomic_load_n(&team->cancelled, __ATOMIC_ACQUIRE) & CANCEL_PARALLEL) {
			cancelled = true;
			if (w & BARRIER_SLEEPERS)
				barrier_wake_all(b);
			break;
		}
		if (unlikely(team_has_tasks(team))) {
			if (task_run_one(t)) {
				waiter_reset(&waiter);
				continue;
			}
			/*
			 * All members have arrived and no task is left, so no task can appear. One of the members that
			 * see this clears the bit.
			 */
			if (have_all_arrived(w, target) && task_team_is_done(team)) {
				if (__atomic_compare_exchange_n(&b->word, &w, w & ~(uint64_t)BARRIER_TASKS, false,
								__ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
					if (w & BARRIER_SLEEPERS)
						barrier_wake_all(b);
					break;
				}
				continue;
			}
		}
		if (!wait_step(&waiter))
			sleep_while(b, w);
		else if (target - barrier_arrived(w) > MANY && !wait_is_crowded())
			pause_for_distance(target - barrier_arrived(w));
	}
	hide_wait(t, before, frame);
	return cancelled;
}

/* A team of one waits only for its tasks. A detached task can take long. */
static __attribute__((cold)) void finish_alone(struct thread *t, ompt_state_t state, const void *frame)
{
	struct team *team = t->team;
	struct waiter waiter = {0};
	uint32_t before = show_wait(t, state, frame);

	for (;;) {
		uint64_t w = __atomic_load_n(&team->barrier.word, __ATOMIC_ACQUIRE);

		if (task_run_one(t)) {
			waiter_reset(&waiter);
			continue;
		}
		if (task_team_is_done(team))
			break;
		if (!wait_step(&waiter))
			sleep_while(&team->barrier, w);
	}
	hide_wait(t, before, frame);
}

/* Adds the arrival to the word. Returns the word before. */
static inline uint64_t count_arrival(struct thread *t)
{
	struct team *team = t->team;
	struct barrier *b = &team->barrier;
	struct member *m = t->member;

	if (likely(!team_has_tasks(team) || m->tasks_seen == m->tasks_created))
		return __atomic_fetch_add(&b->word, BARRIER_ARRIVED, __ATOMIC_ACQ_REL);

	/*
	 * A member that has created tasks sets the bit as it arrives. The last member, and all that read the complete
	 * count, then see it. A task that appears while this member waits was created by a member that has not
	 * arrived, or by a task.
	 */
	uint64_t w = __atomic_load_n(&b->word, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(&b->word, &w, (w | BARRIER_TASKS) + BARRIER_ARRIVED, true, __ATOMIC_ACQ_REL,
					    __ATOMIC_RELAXED))
		;
	return w | BARRIER_TASKS;
}

static inline bool wait_at_barrier(struct thread *t, ompt_state_t state, const void *frame, bool cancellable)
{
	struct team *team = t->team;
	uint32_t target = t->barrier_count + t->n_threads;
	bool cancelled = false;

	if (t->n_threads == 1) {
		t->barrier_count++; /* for core/sync/cancel */
		if (unlikely(team_has_tasks(team)))
			finish_alone(t, state, frame);
		return cancellable && unlikely(team->cancelled & CANCEL_PARALLEL);
	}
	if (cancellable && unlikely(__atomic_load_n(&team->cancelled, __ATOMIC_ACQUIRE) & CANCEL_PARALLEL))
		return true;
	t->barrier_count = target;

	uint64_t w = count_arrival(t);
	/* The last member sees the whole count. */
	if (have_all_arrived(w + BARRIER_ARRIVED, target) && point_has_debugger())
		ompd_bp_barrier_all_entered();
	if (is_complete(w + BARRIER_ARRIVED, target)) {
		if (unlikely(w & BARRIER_SLEEPERS))
			barrier_wake_all(&team->barrier);
	} else {
		cancelled = wait_for_members(t, target, state, frame, cancellable);
	}
	t->member->tasks_seen = t->member->tasks_created;
	return cancelled;
}

/* A tool sees each barrier, also without a wait. */
static __attribute__((cold, noinline)) bool wait_and_report(struct thread *t, ompt_state_t state, const void *frame,
							    bool cancellable)
{
	struct site site = {NULL, frame};
	uint32_t before = show_wait(t, state, frame);
	bool cancelled;

	point_wait_begin(t, state, site);
	cancelled = wait_at_barrier(t, state, NULL, cancellable);
	point_wait_end(t, state, site);
	hide_wait(t, before, frame);
	return cancelled;
}

void barrier_wait(struct thread *t, ompt_state_t state, const void *frame)
{
	if (point_has_tool())
		wait_and_report(t, state, frame, false);
	else
		wait_at_barrier(t, state, frame, false);
}

bool barrier_wait_cancellable(struct thread *t, ompt_state_t state, const void *frame)
{
	return point_has_tool() ? wait_and_report(t, state, frame, true) : wait_at_barrier(t, state, frame, true);
}

static bool have_all_ended(uint64_t w, uint32_t last)
{
	return barrier_ended(w) == last;
}

void barrier_end_arrive(struct team *team, uint32_t last)
{
	uint64_t w = __atomic_fetch_add(&team->barrier.word, BARRIER_ENDED, __ATOMIC_ACQ_REL);

	if (unlikely(w & BARRIER_SLEEPERS) && have_all_ended(w + BARRIER_ENDED, last))
		barrier_wake_all(&team->barrier);
}

void barrier_end_wait(struct thread *t, uint32_t last)
{
	struct team *team = t->team;
	struct barrier *b = &team->barrier;
	struct waiter waiter = {0};
	uint64_t w = __atomic_load_n(&b->word, __ATOMIC_ACQUIRE);

	if (have_all_ended(w, last) && likely(!team_has_tasks(team)))
		return;
	state_wait(t, ompt_state_wait_barrier_implicit_parallel, b);
	/* The primary thread reports the start of its wait to the tool, like the others. */
	if (unlikely(team->tool_epoch == t->epoch))
		tool_region_wait(t);
	for (;; w = __atomic_load_n(&b->word, __ATOMIC_ACQUIRE)) {
		if (unlikely(team_has_tasks(team))) {
			if (task_run_one(t)) {
				waiter_reset(&waiter);
				continue;
			}
			if (have_all_ended(w, last) && task_team_is_done(team))
				break;
		} else if (have_all_ended(w, last)) {
			/* A member that has created tasks sets the bit before it arrives. */
			if (likely(!team_has_tasks(team)))
				break;
			continue;
		}
		if (!wait_step(&waiter))
			sleep_while(b, w);
	}
}
