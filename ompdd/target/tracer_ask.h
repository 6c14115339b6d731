/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What tracer.c knows of its ompdd-tracer, and how it asks it; for it, tracer_plant.c and tracer_stop.c. */
#ifndef OMPDD_TARGET_TRACER_ASK_H
#define OMPDD_TARGET_TRACER_ASK_H

#include "target/target.h"
#include "target/tracer.h"

struct tracer_planted {
	uint64_t address;
	unsigned users;				   /* for each hit, and */
	unsigned n_filters;			   /* for those that pass one */
	unsigned char code[ARCH_BREAKPOINT_BYTES]; /* what was there */
	unsigned len;				   /* of it */
};

struct tracer {
	struct stopper base;
	pid_t tracer_pid;
	int fd;
	pid_t pid; /* of the target */
	bool launcher;
	bool active;
	bool lost;
	uint32_t seq;
	uint32_t stop;	     /* number of the present stop; 0: it runs */
	bool stopped_by_hit; /* and nobody has taken note of the hit yet */
	int64_t started_us;
	int64_t expires_us; /* 0: never */
	struct tracer_board_thread *board;
	size_t n_board;
	bool has_registers;
	struct tracer_planted *planted;
	size_t n_planted, cap_planted;
	uint64_t word;		      /* address of that which was set; 0: none */
	struct tracer_message *queue; /* a ring */
	size_t n_queue, first;
	uint32_t dropped; /* for which the queue had no room, since the last that it took */
};

extern const struct stopper_ops tracer_stopper_ops;

/* Ask, and wait for the reply; events that come before it are kept. ERR_TRACER_FAILED. */
MUST_USE struct error *tracer_ask(struct tracer *t, struct tracer_request *r, struct tracer_message *ret);
/* The error that m->error means; of a stop that was to be reached within @limit_ms. */
struct error *tracer_explain(struct tracer *t, const struct tracer_message *m, unsigned limit_ms);
/* @m says that all threads stand. */
void tracer_take_stop(struct tracer *t, const struct tracer_message *m, unsigned budget_ms);

#endif
