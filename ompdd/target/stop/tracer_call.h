/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tracer.c's state of its ompdd-tracer, and requests to it; for tracer.c, tracer_plant.c and tracer_stop.c. */
#ifndef OMPDD_TARGET_TRACER_CALL_H
#define OMPDD_TARGET_TRACER_CALL_H

#include "target/stop/tracer.h"

struct tracer_planted {
	uint64_t address;
	unsigned users;				   /* for every hit */
	unsigned n_filters;			   /* for hits that pass a filter */
	unsigned char code[ARCH_BREAKPOINT_BYTES]; /* the original bytes */
	unsigned len;				   /* length of `code` */
};

struct tracer {
	struct stop_backend base;
	pid_t tracer_pid;
	int fd;
	pid_t pid; /* the target's */
	bool launcher;
	bool active;
	bool lost;
	bool silent;   /* lost because it did not answer */
	int answer_ms; /* time limit of an answer */
	uint32_t seq;
	uint32_t stop;	     /* number of the present stop; 0: the target runs */
	bool stopped_by_hit; /* and the hit has not been read yet */
	int64_t started_us;
	int64_t expires_us; /* 0: never */
	struct tracer_board_thread *board;
	size_t n_board;
	bool has_registers;
	struct tracer_planted *planted;
	size_t n_planted, cap_planted;
	uint64_t word;		      /* address of the word that is set; 0: none */
	struct tracer_message *queue; /* a ring */
	size_t n_queue, first;
	uint32_t dropped; /* messages lost because the queue was full, since the last one that it took */
};

extern const struct stop_backend_ops tracer_backend_ops;

/* Send a request and wait for the reply; earlier events are queued. ERR_TRACER_FAILED. */
MUST_USE struct error *tracer_call(struct tracer *t, struct tracer_request *r, struct tracer_message *ret);
/* Convert m->error to an error; @limit_ms: the time limit of the stop. */
struct error *tracer_explain(struct tracer *t, const struct tracer_message *m, unsigned limit_ms);
/* Record that @m reports a stop of all threads. */
void tracer_take_stop(struct tracer *t, const struct tracer_message *m, unsigned budget_ms);

#endif
