/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The breakpoints of all connections in the worker's target. Each one has a request (a function, an OpenMP event),
 * places in the program's text, and a meaning of hits there.
 */
#ifndef OMPDD_WORKER_BREAKPOINTS_H
#define OMPDD_WORKER_BREAKPOINTS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "openmp/model/events.h"
#include "target/control.h"
#include "worker/control/condition.h"

/* The limit for all connections together. */
#define BREAKPOINTS_MAX 1024
/* The limit for the places of one breakpoint, including places learnt from arguments. */
#define BREAKPOINTS_MAX_PLACES 4096

struct worker;

enum breakpoint_kind { BREAKPOINT_ADDRESS, BREAKPOINT_FUNCTION, BREAKPOINT_LINE, BREAKPOINT_EVENT };

/* A place of a breakpoint: see struct event_place. */
struct breakpoint_place {
	struct event_place at;
	bool is_learnt;	 /* learnt from an argument of a call at another place */
	bool has_filter; /* the tracer reports hits that pass the filter; without a filter, all hits */
	bool asks;	 /* the tracer asks the worker whether `condition` holds */
};

struct breakpoint {
	struct breakpoint *next;
	uint32_t number; /* 1, 2, … in the target */
	int64_t client;	 /* the owning connection: the breakpoint ends with it */
	enum breakpoint_kind kind;
	enum event_kind event;
	char *function; /* or the file; NULL */
	int line;	/* a line that has code: the requested one, or a later one */
	pid_t tid;	/* only this thread's hits count; 0: any */
	int runtime;	/* number of the only runtime that counts, from 0; -1: any */
	bool once;	/* ends with its first hit */
	struct condition condition;
	char *region; /* of the condition, as requested; NULL */
	/* The first @after hits pass. Then every @every-th hit counts; @every is not 0. */
	uint64_t after, every;
	bool counts_here;     /* the worker counts n_passed, not the tracer */
	uint64_t n_passed;    /* hits, ignoring `after` and `every` */
	uint64_t n_undecided; /* passed hits where the condition could not be evaluated; they stopped nothing */
	uint64_t n_hits;
	struct breakpoint_place *places;
	size_t n_places, cap_places;
};

/* A client's request. */
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
	uint64_t after, every; /* every 0 means 1 */
};

struct breakpoints;

/* Create an empty list. Returns NULL when out of memory. */
struct breakpoints *breakpoints_create(void);
/* Free the list. Does not change the target. */
void breakpoints_destroy(struct breakpoints *b);

/*
 * Create a breakpoint of w->client. *@ret is borrowed. ERR_SYMBOL_NOT_FOUND, ERR_BREAKPOINT_IMPOSSIBLE,
 * ERR_LIMIT_EXCEEDED, errors of events_find(), lines_find(), condition_create() and target_change_begin().
 */
MUST_USE struct error *breakpoints_set(struct worker *w, const struct breakpoint_spec *spec,
				       const struct breakpoint **ret);
/* Delete breakpoint @number of w->client. ERR_NO_SUCH_BREAKPOINT: w->client has no breakpoint of that number. */
MUST_USE struct error *breakpoints_delete(struct worker *w, uint32_t number);
/* Delete all breakpoints of the closed connection @client. The target is stopped for it, or held. */
void breakpoints_client_gone(struct worker *w, int64_t client);
/* Delete the breakpoints of all connections and end the step, before the worker detaches the target. */
void breakpoints_end(struct worker *w);
/* Drop all breakpoints: the target runs another program now, or has lost them. */
void breakpoints_clear(struct breakpoints *b);

/*
 * Return the breakpoint with the lowest number; @next leads to the others in ascending order. NULL: the list is empty.
 */
const struct breakpoint *breakpoints_first(const struct breakpoints *b);
const struct breakpoint *breakpoints_find(const struct breakpoints *b, uint32_t number);

/* Return the number of hits, ignoring `after` and `every`. */
uint64_t breakpoints_passed(struct worker *w, const struct breakpoint *b);

/* Answer the tracer's question about @e: whether a single thread's arrival at a place is a hit (hits.c). */
void breakpoints_answer(struct worker *w, const struct target_event *e);
/* Mark the list of known threads as outdated, after threads have started or exited. */
void breakpoints_threads_changed(struct worker *w);
/*
 * Judge the arrival of a thread at a place while all threads are stopped (hits.c). Returns the breakpoint that was hit,
 * or NULL: the target may resume at once. Learns new places, and removes a breakpoint with `once`. The result and
 * *@place_ret stay valid until the next call.
 */
const struct breakpoint *breakpoints_hit(struct worker *w, const struct target_event *e,
					 const struct breakpoint_place **place_ret);

/* Return "address", "function", "line" or "event", a literal. */
const char *breakpoint_kind_name(enum breakpoint_kind kind);

#endif
