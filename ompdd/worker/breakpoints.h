/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The breakpoints of all connections in the worker's target: what a client asked for (a function, an OpenMP event), the
 * places in the text where that is seen, and what a hit there means.
 */
#ifndef OMPDD_WORKER_BREAKPOINTS_H
#define OMPDD_WORKER_BREAKPOINTS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "openmp/model/events.h"
#include "target/control.h"
#include "worker/condition.h"

/* Of all connections together. */
#define BREAKPOINTS_MAX 1024
/* Places of one; those that were learnt from arguments count. */
#define BREAKPOINTS_MAX_PLACES 4096

struct worker;

enum breakpoint_kind { BREAKPOINT_ADDRESS, BREAKPOINT_FUNCTION, BREAKPOINT_LINE, BREAKPOINT_EVENT };

/* A place of a breakpoint: see struct event_place. */
struct breakpoint_place {
	struct event_place at;
	bool is_learnt;	 /* from an argument of a call at another place */
	bool has_filter; /* the tracer tells of hits that pass it; else of all */
	bool asks;	 /* it asks the worker whether `condition` holds */
};

struct breakpoint {
	struct breakpoint *next;
	uint32_t number; /* 1, 2, … in the target */
	int64_t client;	 /* whose it is: it ends with this connection */
	enum breakpoint_kind kind;
	enum event_kind event;
	char *function; /* or file; NULL */
	int line;	/* that has code: the one asked for, or a later one */
	pid_t tid;	/* only this thread's hits count; 0: any */
	int runtime;	/* number of the only one that counts, from 0; -1: any */
	bool once;	/* ends with its first hit */
	struct condition condition;
	char *region; /* of the condition, as it was asked for; NULL */
	/* So many that would be hits pass, and then every so manieth is one; every: not 0. */
	uint64_t after, every;
	bool counts_here;     /* n_passed is kept here, not by the tracer */
	uint64_t n_passed;    /* hits but for `after` and `every` */
	uint64_t n_undecided; /* of which it could not be known whether the condition holds; they stopped nothing */
	uint64_t n_hits;
	struct breakpoint_place *places;
	size_t n_places, cap_places;
};

/* What a client asks for. */
struct breakpoint_spec {
	enum breakpoint_kind kind;
	enum event_kind event;
	const char *function;
	const char *file;
	int line;
	uint64_t address;
	pid_t tid;
	int runtime; /* -1: any */
	bool once;
	struct condition_spec condition;
	uint64_t after, every; /* every 0: 1 */
};

struct breakpoints;

/* NULL when memory is out. */
struct breakpoints *breakpoints_create(void);
/* Forgets all; taking them out is the target's business then. */
void breakpoints_destroy(struct breakpoints *b);

/*
 * Make a breakpoint of w->client. ERR_SYMBOL_NOT_FOUND, ERR_BREAKPOINT_IMPOSSIBLE, ERR_LIMIT_EXCEEDED, those of
 * events_find(), lines_find(), condition_create() and target_change_begin(). *@ret is borrowed.
 */
MUST_USE struct error *breakpoints_set(struct worker *w, const struct breakpoint_spec *spec,
				       const struct breakpoint **ret);
/* ERR_NO_SUCH_BREAKPOINT: w->client has none of that number. */
MUST_USE struct error *breakpoints_delete(struct worker *w, uint32_t number);
/* All of connection @client, which is gone; the target is stopped for it, or held. */
void breakpoints_client_gone(struct worker *w, int64_t client);
/* All of all connections, and the step: the target is left. */
void breakpoints_end(struct worker *w);
/* The target is another program now, or has lost them. */
void breakpoints_clear(struct breakpoints *b);

/* In the order of their numbers; NULL: the end. */
const struct breakpoint *breakpoints_first(const struct breakpoints *b);
size_t breakpoints_count(const struct breakpoints *b);
const struct breakpoint *breakpoints_find(const struct breakpoints *b, uint32_t number);

/* How many hits there would have been but for `after` and `every`. */
uint64_t breakpoints_passed(struct worker *w, const struct breakpoint *b);

/* hits.c: a thread came to a place, alone: whether it is a hit of one of those that the tracer asks for. Answers it. */
void breakpoints_asked(struct worker *w, const struct target_event *e);
/* Threads have come or gone: those that were known are to be asked for anew. */
void breakpoints_threads_changed(struct worker *w);
/*
 * hits.c: a thread came to a place and all stand. The breakpoint whose hit this is, or NULL: the target may go on at
 * once. Learns new places, and takes out a breakpoint that was for once (but what is returned, and *@place_ret, stay
 * until the next call).
 */
const struct breakpoint *breakpoints_hit(struct worker *w, const struct target_event *e,
					 const struct breakpoint_place **place_ret);

/* "address", "function", "line", "event"; literals. */
const char *breakpoint_kind_name(enum breakpoint_kind kind);

#endif
