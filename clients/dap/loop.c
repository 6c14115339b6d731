/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* poll() over a handful of descriptors, and timers. */
#include "loop.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"

void loop_watch(struct loop *l, struct watch *w)
{
	for (size_t i = 0; i < l->n_watches; i++) {
		if (l->watches[i] == w)
			return;
	}
	/* The number of watches is fixed at compile time. */
	if (l->n_watches == LOOP_MAX_WATCHES)
		abort();
	l->watches[l->n_watches++] = w;
}

uint64_t loop_timer(struct loop *l, int ms, void (*due)(void *arg), void *arg)
{
	if (l->n_timers == LOOP_MAX_TIMERS)
		return 0;
	l->timers[l->n_timers++] =
		(struct timer){.at_ms = clock_now_ms() + ms, .id = ++l->last_timer, .due = due, .arg = arg};
	return l->last_timer;
}

void loop_timer_cancel(struct loop *l, uint64_t id)
{
	for (size_t i = 0; i < l->n_timers; i++) {
		if (l->timers[i].id == id) {
			l->timers[i] = l->timers[--l->n_timers];
			return;
		}
	}
}

/* Return the milliseconds to the next timer; -1: there is no timer. */
static int find_timeout(const struct loop *l)
{
	int64_t now = clock_now_ms(), least = -1;

	for (size_t i = 0; i < l->n_timers; i++) {
		int64_t left = l->timers[i].at_ms > now ? l->timers[i].at_ms - now : 0;

		if (least < 0 || left < least)
			least = left;
	}
	return least > 1000000 ? 1000000 : (int)least;
}

/* Call the timers one by one, each time from the start: each may add and cancel others. */
static void call_timers(struct loop *l)
{
	int64_t now = clock_now_ms();

	for (size_t i = 0; i < l->n_timers && !l->stopped;) {
		struct timer t = l->timers[i];

		if (t.at_ms > now) {
			i++;
			continue;
		}
		l->timers[i] = l->timers[--l->n_timers];
		t.due(t.arg);
		i = 0;
	}
}

void loop_run(struct loop *l)
{
	while (!l->stopped) {
		struct pollfd fds[LOOP_MAX_WATCHES];
		size_t n = l->n_watches;

		for (size_t i = 0; i < n; i++) {
			struct watch *w = l->watches[i];

			/* poll() also reports hang-ups without requested events. Leave those to the time when the
			 * descriptor is watched. */
			fds[i] = (struct pollfd){.fd = w->events ? w->fd : -1, .events = w->events};
		}
		int ready = poll(fds, n, find_timeout(l));
		if (ready < 0 && errno != EINTR)
			abort();
		for (size_t i = 0; i < n && ready > 0 && !l->stopped; i++) {
			/* An earlier callback may have closed it. */
			if (fds[i].fd >= 0 && fds[i].revents && l->watches[i]->fd == fds[i].fd)
				l->watches[i]->ready(l->watches[i]->arg);
		}
		call_timers(l);
	}
}

void loop_stop(struct loop *l)
{
	l->stopped = true;
}
