/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who waits for which descriptor and which moment: one thread, nothing in it ever blocks. */
#ifndef OMPDD_DAP_LOOP_H
#define OMPDD_DAP_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Client in and out, adapter in, out and messages, service and its log, a listener: with room to spare. */
#define LOOP_MAX_WATCHES 16
#define LOOP_MAX_TIMERS	 256

/* A descriptor that is looked at. Its owner keeps it; a @fd of -1, or no @events, is not looked at. */
struct watch {
	int fd;
	short events; /* as poll()'s */
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

int64_t loop_now_ms(void);

/* Look at @w from now on; until the loop ends, so @w must live as long. Again for the same one is fine. */
void loop_watch(struct loop *l, struct watch *w);

/* Call @due once, @ms from now. Returns its id, never 0; 0 when there are too many (then it is never called). */
uint64_t loop_timer(struct loop *l, int ms, void (*due)(void *arg), void *arg);
/* It is not called any more; an id that is over, or 0, is fine. */
void loop_timer_cancel(struct loop *l, uint64_t id);

/* Until loop_stop(). */
void loop_run(struct loop *l);
void loop_stop(struct loop *l);

#endif
