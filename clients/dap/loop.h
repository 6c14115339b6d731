/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An event loop for descriptors and timers: one thread that never blocks in a callback. */
#ifndef OMPDD_DAP_LOOP_H
#define OMPDD_DAP_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Client in and out, adapter in, out and messages, service and its log, a listener, and some spare. */
#define LOOP_MAX_WATCHES 16
#define LOOP_MAX_TIMERS	 256

/* A watched descriptor. Its owner keeps it. It is not watched while @fd is -1 or @events is empty. */
struct watch {
	int fd;
	short events; /* as in poll() */
	void (*ready)(void *arg);
	void *arg;
};

struct timer {
	int64_t at_ms; /* CLOCK_MONOTONIC */
	uint64_t id;
	void (*due)(void *arg);
	void *arg;
};

struct loop {
	struct watch *watches[LOOP_MAX_WATCHES];
	size_t n_watches;
	struct timer timers[LOOP_MAX_TIMERS];
	size_t n_timers;
	uint64_t last_timer;
	bool stopped;
};

/* Watch @w until the loop ends; @w must live as long. Repeated calls with the same @w are allowed. */
void loop_watch(struct loop *l, struct watch *w);

/* Call @due once, @ms milliseconds from now. Returns its id, never 0; 0 when there are too many timers (then it is
 * never called). */
uint64_t loop_timer(struct loop *l, int ms, void (*due)(void *arg), void *arg);
/* Cancel a timer. An expired id, or 0, is allowed. */
void loop_timer_cancel(struct loop *l, uint64_t id);

/* Run until loop_stop(). */
void loop_run(struct loop *l);
void loop_stop(struct loop *l);

#endif
