/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pulses of all threads, and the words on which they sleep. */
#include "methods/diagnose/observation.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "methods/diagnose/diagnose_sleep.h"
#include "target/arch/syscalls.h"
#include "target/target.h"

struct error *diagnose_word_read(struct target *t, const struct target_activity *activity, struct diagnose_word *ret)
{
	*ret = (struct diagnose_word){.is_futex = diagnose_sleeps_on_word(activity)};
	if (!ret->is_futex)
		return NULL;
	ret->address = activity->args[0];
	ret->expected = (uint32_t)activity->args[2];
	struct error *err = target_read(t, ret->address, &ret->now, sizeof(ret->now));
	ret->is_there = !err;
	if (err && err->code != ERR_MEMORY_UNREADABLE)
		return err;
	error_destroy(err);
	return NULL;
}

void observation_deinit(struct observation *l)
{
	free(l->tids);
	free(l->pulses);
	free(l->words);
}

void observations_deinit(struct observations *l)
{
	observation_deinit(&l->origin);
	observation_deinit(&l->first);
	observation_deinit(&l->second);
	observation_deinit(&l->last);
}

struct error *observation_take(struct target *t, struct observation *ret)
{
	const struct target_thread *threads;
	size_t n;
	struct error *err;

	target_view_begin(t);
	err = target_threads(t, &threads, &n);
	if (err)
		return err;
	ret->tids = calloc(n ? n : 1, sizeof(*ret->tids));
	ret->pulses = calloc(n ? n : 1, sizeof(*ret->pulses));
	if (!ret->tids || !ret->pulses)
		return &error_nomem;
	ret->n = n;
	ret->at_us = clock_now_us();
	for (size_t i = 0; i < n; i++) {
		ret->tids[i] = threads[i].tid;
		target_progress(t, threads[i].tid, &ret->pulses[i]);
	}
	return NULL;
}

struct error *observation_read_words(struct target *t, struct observation *l)
{
	struct error *err = NULL;

	l->words = calloc(l->n ? l->n : 1, sizeof(*l->words));
	if (!l->words)
		return &error_nomem;
	for (size_t i = 0; i < l->n && !err; i++)
		err = diagnose_word_read(t, &l->pulses[i].activity, &l->words[i]);
	return err;
}

struct error *observation_take_again(struct target *t, const struct observation *before, struct observation *ret)
{
	ret->tids = malloc(before->n * sizeof(*ret->tids));
	ret->pulses = calloc(before->n, sizeof(*ret->pulses));
	if (!ret->tids || !ret->pulses)
		return &error_nomem;
	ret->n = before->n;
	for (size_t i = 0; i < before->n; i++) {
		ret->tids[i] = before->tids[i];
		target_progress(t, before->tids[i], &ret->pulses[i]);
	}
	return NULL;
}

static int compare_tids(const void *a, const void *b)
{
	return (*(const pid_t *)a > *(const pid_t *)b) - (*(const pid_t *)a < *(const pid_t *)b);
}

/* Return the index of @tid; SIZE_MAX: not found. The main thread comes first, the others are sorted by id. */
static size_t find_thread(const struct observation *l, pid_t tid)
{
	if (!l->n || l->tids[0] == tid)
		return l->n ? 0 : SIZE_MAX;
	const pid_t *found = bsearch(&tid, l->tids + 1, l->n - 1, sizeof(tid), compare_tids);
	return found ? (size_t)(found - l->tids) : SIZE_MAX;
}

const struct target_progress *observation_pulse(const struct observation *l, pid_t tid)
{
	size_t i = find_thread(l, tid);

	return i == SIZE_MAX ? NULL : &l->pulses[i];
}

/*
 * Return whether the call of @before has returned by @now. A stop only interrupts that call, so its return means that
 * the thread was woken and waits for a CPU. For other calls (epoll_wait), the registers look the same after a stop has
 * ended them.
 */
static bool has_returned(const struct target_activity *before, const struct target_activity *now)
{
	return !now->in_syscall &&
	       (diagnose_sleeps_on_word(before) || (before->in_syscall && before->syscall == SYS_restart_syscall));
}

enum waits_motion observations_motion(const struct observations *l, pid_t tid, const struct target_activity *activity)
{
	const struct target_progress *before = observation_pulse(&l->first, tid),
				     *after = observation_pulse(&l->second, tid);

	if (!l->second.n)
		return MOTION_UNKNOWN;
	if (!before)
		return MOTION_RAN; /* the thread has started since */
	if (!after || !before->known || !after->known)
		return MOTION_UNKNOWN;
	if (!target_progress_slept(before, after) || !activity->known || activity->sp != after->activity.sp ||
	    has_returned(&after->activity, activity))
		return MOTION_RAN;
	if (l->last.n) {
		const struct target_progress *last = observation_pulse(&l->last, tid);

		if (!last || !target_progress_slept(after, last))
			return MOTION_RAN;
	}
	return MOTION_ASLEEP;
}

void observations_cpu(const struct observations *l, pid_t tid, uint64_t *cpu_ns_ret, uint64_t *wanted_ns_ret)
{
	const struct target_progress *before = observation_pulse(&l->origin, tid),
				     *after = observation_pulse(&l->second, tid);

	*cpu_ns_ret = *wanted_ns_ret = 0;
	if (!before || !after || !before->known || !after->known)
		return;
	*cpu_ns_ret = after->cpu_ns - before->cpu_ns;
	*wanted_ns_ret = *cpu_ns_ret + after->ready_ns - before->ready_ns;
}

bool observation_has_word(const struct observation *l, pid_t tid, const struct diagnose_word *word)
{
	size_t i = find_thread(l, tid);

	if (i == SIZE_MAX || !l->words)
		return false;
	const struct diagnose_word *then = &l->words[i];
	return then->is_there && then->address == word->address && then->expected == word->expected &&
	       then->now == word->now;
}
