/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stops, hits and their reports to the worker: the part of ompdd-tracer between its loop and the traced threads. */
#ifndef OMPDD_TRACER_TRACER_HITS_H
#define OMPDD_TRACER_TRACER_HITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracer/tracee.h"

/*
 * The time limit for the worker's answer about a thread. Then it is a hit, and the worker has no time limit any more.
 */
#define TRACER_ASK_MS 20

struct tracer {
	struct tracee tracee; /* first: see tracer_hits_on_event() */
	struct tracer_board_thread *board;
	size_t board_max;
	uint32_t n_board;
	uint32_t lost;
	bool hurries;
	bool has_asked;	      /* some threads may wait for the worker's answer */
	int64_t resume_at_us; /* the end of the present stop's budget; 0: none */
	bool exit_reported;
	bool kept;  /* TRACER_KEEP was received */
	pid_t only; /* the only process that may be traced: a worker's OMPD library may be hostile */
};

/*
 * Raise the priority while all threads are stopped, or are about to be. Not while hits pass that do not count:
 * returning from that priority puts this process behind all others, while a thread waits for it.
 */
void tracer_hits_set_hurry(struct tracer *g, bool do_hurry);
/* Send @m to the worker. @may_drop: do not wait for space. Return false if it was not sent, or the worker has exited.
 */
bool tracer_hits_send(const struct tracer_message *m, bool may_drop);
/* The functions of struct tracee: report an event; return whether the worker has exited. */
void tracer_hits_on_event(struct tracee *p, enum tracer_message_kind kind, pid_t tid, uint64_t value);
bool tracer_hits_is_alone(struct tracee *p);

/* Write the stopped threads onto the board. */
void tracer_hits_fill_board(struct tracer *g, bool with_regs);
/* Record a stop of all threads, the first of them stopped since @began_us. */
void tracer_hits_begin_stop(struct tracer *g, uint32_t budget_ms, int64_t began_us);
/* End a stop whose requester does not need it any more: report the next hit, or resume. */
void tracer_hits_end_stop(struct tracer *g);

/* Report the hit of @t after all threads have stopped. */
void tracer_hits_report(struct tracer *g, struct tracee_thread *t, int64_t noticed_us);
/* Stop all threads for the hit of @t and report it or, if it does not count, resume @t past the breakpoint. */
void tracer_hits_stop_for(struct tracer *g, struct tracee_thread *t);
/* Process the worker's answer about @t. Return false if @t does not wait for it any more. */
bool tracer_hits_take_verdict(struct tracer *g, struct tracee_thread *t, bool counts);
/* Count a thread that has waited too long for the answer as a hit. */
void tracer_hits_end_requests(struct tracer *g);
/* Process what the kernel reports about the threads. */
void tracer_hits_poll(struct tracer *g);
/* Report that the process has exited, or runs another program. */
void tracer_hits_report_end(struct tracer *g);

#endif
