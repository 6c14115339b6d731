/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The addresses in a process at which an OpenMP event can be observed. They are the ompd_bp_* functions of a runtime
 * that has them (OpenMP 5.2, 20.6). Otherwise the runtime's descriptor names them: public entry points and their
 * arguments.
 */
#ifndef OMPDD_OPENMP_EVENTS_H
#define OMPDD_OPENMP_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "openmp/model/runtimes.h"
#include "openmp/runtimes/event.h"

#define EVENTS_MAX_PLACES 64
/* The limit for all runtimes together. */
#define EVENTS_MAX_OF_ALL (EVENTS_MAX_PLACES * RUNTIMES_MAX)
#define EVENT_SWITCH_ON	  1

struct event_place {
	uint64_t address;
	const char *symbol; /* a literal */
	enum event_point point;
	unsigned argument; /* number of the register argument, from 0 */
	enum event_caller caller;
	bool argument_in_runtime; /* only arguments that point into the runtime count */
	bool is_whole;		  /* for a region's entry point: it returns after the region */
	enum event_result result;
	struct event_word word;
	/* The module whose calls count or do not count, by `caller`. */
	uint64_t caller_start, caller_end;
	unsigned runtime; /* number of the runtime at this place, from 1 (model_index() + 1); 0: none */
	/* A byte of the runtime, 0: none. The place is reached only while the byte is EVENT_SWITCH_ON. */
	uint64_t switch_address;
};

struct model;

/*
 * Finds the current places of @kind in the target of @m, at most EVENTS_MAX_PLACES. No address occurs twice. Errors are
 * ERR_NO_OPENMP_RUNTIME and its like, and ERR_EVENT_UNAVAILABLE.
 */
MUST_USE struct error *events_find(struct model *m, enum event_kind kind, struct event_place *ret, size_t *n_ret);

/*
 * Finds the places of @kind in all runtimes of the process, or in number @only (-1: all), at most EVENTS_MAX_OF_ALL. A
 * runtime without places is skipped. If all have none, the error is that of the most used runtime. @to_come: take only
 * runtimes that events_check_to_come() accepts.
 */
MUST_USE struct error *events_find_of_all(struct runtimes *r, int only, enum event_kind kind, bool to_come,
					  struct event_place *ret, size_t *n_ret);

/* Returns a text for users on the events of @kind that these places cannot show. NULL: no gap is known. A literal. */
const char *events_unseen(struct model *m, enum event_kind kind);

/* Returns why @kind will never occur in the current target of @m although it has places, or NULL. */
MUST_USE struct error *events_check_to_come(struct model *m, enum event_kind kind);

/*
 * Finds where an encountering thread enters the runtime at a parallel construct. Places are EVENT_AT_CALL, and
 * `argument` is the region's function. The runtime is not notified of regions that the compiler serializes itself.
 * Errors as above.
 */
MUST_USE struct error *events_find_regions(struct model *m, struct event_place *ret, size_t *n_ret);

/*
 * Does the same for all runtimes, or for number @only (-1: all), at most EVENTS_MAX_OF_ALL, as events_find_of_all()
 * does.
 */
MUST_USE struct error *events_find_all_regions(struct runtimes *r, int only, struct event_place *ret, size_t *n_ret);

/*
 * Returns the argument number of a parallel region's function in the entry point @symbol. Returns -1 if @symbol is not
 * an entry point for regions.
 */
int events_region_argument(const char *symbol);

/* Returns whether a call that returns to @return_address counts for @place. */
bool events_caller_counts(const struct event_place *place, uint64_t return_address);

#endif
