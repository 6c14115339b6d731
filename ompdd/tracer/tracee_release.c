/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ends the tracing of a process. Part of ompdd-tracer. */
#include "tracer/tracee.h"

#include "base/clock.h"
#include "tracer/watchdog.h"
#include "target/trace/traced.h"

/* Wait for threads that do not stop but may still hit a breakpoint. The other threads run meanwhile. */
#define RELEASE_MS 10000
/* Wait for other threads, if this process continues. */
#define SOON_MS 100

/* Return whether a thread that does not stop may still execute one of our instructions, or return to one. */
static bool must_wait_for(struct tracee *p, const struct tracee_thread *t)
{
	return t->state == TRACEE_RUNNING && tracee_state(p, t) != 'D';
}

static bool must_wait(struct tracee *p)
{
	for (size_t i = 0; i < p->n_threads; i++) {
		if (must_wait_for(p, &p->threads[i]))
			return true;
	}
	return false;
}

/* Restore the program's text. Safe while threads run: it restores single instructions. */
static void take_out(struct tracee *p)
{
	for (size_t i = 0; i < p->n_planted; i++) {
		p->planted[i].wanted = false;
		tracee_put(p, &p->planted[i], false);
	}
	if (p->word)
		tracee_set_word(p, p->word, 0);
}

/* Detach @t. Return false if it has not stopped yet. */
static bool release_thread(struct tracee *p, struct tracee_thread *t)
{
	if (t->state == TRACEE_RUNNING && !tracee_stop_one(p, t))
		return false;
	if (tracee_let_trap_come(p, t))
		return false;
	if (t->state == TRACEE_STOPPED)
		tracee_detach(t);
	return true;
}

/*
 * Detach all stopped threads, in the order of their stops; with @stop also stop and detach the others. Return the
 * number of remaining threads.
 */
static size_t release_all(struct tracee *p, bool stop)
{
	size_t n_left = 0;

	for (size_t i = 0; i < p->n_threads; i++) {
		if (p->threads[i].state != TRACEE_RUNNING || stop)
			n_left += !release_thread(p, &p->threads[i]);
	}
	tracee_compact(p);
	return n_left;
}

void tracee_release(struct tracee *p)
{
	int64_t began_us = clock_now_us(), us = 0;
	bool is_touched = p->n_planted || p->word || tracee_any_stepping(p);
	size_t n_left;

	take_out(p);
	/* If nothing was planted, the kernel detaches running threads when this process ends. */
	for (int round = 0; (n_left = release_all(p, is_touched || p->launched)); round++) {
		us = clock_now_us() - began_us;
		if (us > RELEASE_MS * 1000 || (us > SOON_MS * 1000 && !(is_touched && must_wait(p))))
			break;
		traced_give_way(round, n_left);
		/* A delayed page may be in memory now. */
		if (p->n_in)
			take_out(p);
	}
	watchdog_end(p);
	p->n_groups = 0;
	p->word = 0;
	p->mode = TRACEE_NONE;
	p->execed = false;
}
