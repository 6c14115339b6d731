/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Takes the observations of diagnose.get at their times. */
#include "methods/diagnose/diagnose_observe.h"

#include <poll.h>

#include "base/clock.h"
#include "worker/worker.h"

/* How long threads that a stop has woken may take to sleep again, and the distance of the samples until then. */
#define SETTLE_MS      300
#define SETTLE_STEP_MS 5

void diagnose_sleep_until(int64_t until_us)
{
	int64_t left;

	while ((left = until_us - clock_now_us()) > 0)
		poll(NULL, 0, (int)(left / 1000 + 1));
}

struct error *diagnose_take_second(struct worker *w, struct observations *l)
{
	l->has_quota = l->has_quota && target_cpu_quota(w->target, &l->quota_now);
	return observation_take(w->target, &l->second);
}

struct error *diagnose_take_two(struct worker *w, int64_t interval_ms, struct observations *l)
{
	struct error *err = observation_take(w->target, &l->first);

	if (!err)
		err = observation_read_words(w->target, &l->first);
	if (!err)
		err = observation_take_again(w->target, &l->first, &l->origin);
	if (err)
		return err;
	l->origin.at_us = l->first.at_us;
	l->has_quota = target_cpu_quota(w->target, &l->quota_first);
	diagnose_sleep_until(l->first.at_us + interval_ms * 1000);
	return diagnose_take_second(w, l);
}

/* Return whether all threads that slept in @d, before the stop, sleep again. */
static bool is_settled(const struct diagnosis *d, const struct observation *now)
{
	for (size_t i = 0; i < d->snapshot.n_threads; i++) {
		const struct target_progress *pulse = observation_pulse(now, d->snapshot.threads[i].tid);

		if (pulse && d->threads[i].motion == MOTION_ASLEEP && !pulse->is_asleep)
			return false;
	}
	return true;
}

struct error *diagnose_take_first(struct worker *w, const struct diagnosis *d, struct observation *first)
{
	struct error *err = NULL;
	int64_t end_us = clock_now_us() + SETTLE_MS * 1000;

	do {
		observation_deinit(first);
		*first = (struct observation){0};
		poll(NULL, 0, SETTLE_STEP_MS);
		err = observation_take(w->target, first);
	} while (!err && !is_settled(d, first) && clock_now_us() < end_us);
	return err ? err : observation_read_words(w->target, first);
}
