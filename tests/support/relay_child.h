/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A target for tests of torn views: threads that write the number of each round one after the other, under a lock. The
 * last writer of a round is a thread that starts and ends in it. They report in child_shared.
 */
#ifndef OMPDD_SUPPORT_RELAY_CHILD_H
#define OMPDD_SUPPORT_RELAY_CHILD_H

#include <stdint.h>
#include <unistd.h>

#define RELAY_THREADS 6
#define RELAY_WRITERS (RELAY_THREADS + 1)
#define RELAY_PAGE    4096

/* Each number is on a page of its own, so that each is read on its own. */
struct relay_page {
	volatile uint64_t number;
	char rest[RELAY_PAGE - 8];
} __attribute__((aligned(RELAY_PAGE)));

extern struct relay_page relay_written[RELAY_WRITERS];

struct relay_options {
	useconds_t pause_us; /* the longest pause of a writer in the first rounds; later pauses are longer. 0: none */
	useconds_t spin_us;  /* the time that a writer spins */
	int turn;	     /* the first writer; -1: all sleep */
	uint64_t before;     /* the number of the round before the first one */
	/* Called by a writer, under the lock, when it has completed a round. NULL: nothing. */
	void (*at_round)(uint64_t number);
};

/* Set it before relay_run(), or before the first relay_thread(). */
extern struct relay_options relay_options;

/* Run writer (intptr_t)@index for ever. */
void *relay_thread(void *index);
/* Run all writers for ever. */
void relay_run(void);

/* Fail the test unless @numbers, RELAY_WRITERS of them, are of one moment of a relay with @before. */
void relay_check(const uint64_t *numbers, uint64_t before);

#endif
