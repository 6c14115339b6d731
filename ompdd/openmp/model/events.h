/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where in a process an OpenMP event can be seen: at the ompd_bp_* functions of a runtime that has them
 * (OpenMP 5.2, 20.6), else where the runtime's profile says (stock libgomp's public entry points and what these are
 * given).
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
/* Of all runtimes together. */
#define EVENTS_MAX_OF_ALL (EVENTS_MAX_PLACES * RUNTIMES_MAX)
#define EVENT_SWITCH_ON	  1

struct event_place {
	uint64_t address;
	const char *symbol; /* a literal */
	enum event_point point;
	unsigned argument; /* number of the argument, from 0; of those in registers */
	enum event_caller caller;
	bool argument_in_runtime; /* arguments elsewhere do not count */
	bool is_whole;		  /* of a region's entry point: it returns behind the region */
	enum event_result result;
	struct event_word word;
	unsigned runtime;	 /* number of the runtime that has it, from 1 (model_index() + 1); 0: of none */
	uint64_t switch_address; /* a byte of the runtime that must be EVENT_SWITCH_ON for it to come there; 0: none */
};

struct model;

/*
 * The places of @kind in the target of @m as it is now, at most EVENTS_MAX_PLACES; no address twice.
 * ERR_NO_OPENMP_RUNTIME and its like, ERR_EVENT_UNAVAILABLE.
 */
MUST_USE struct error *events_find(struct model *m, enum event_kind kind, struct event_place *ret, size_t *n_ret);

/*
 * The same of all runtimes of the process, or of number @only of them (-1: all), at most EVENTS_MAX_OF_ALL. Those that
 * have none are passed over unless all have none: then the error is that of the one that is used most. @to_come: only
 * where events_check_to_come() has no objection.
 */
MUST_USE struct error *events_find_of_all(struct runtimes *r, int only, enum event_kind kind, bool to_come,
					  struct event_place *ret, size_t *n_ret);

/* What of @kind cannot be seen at these places, for people; NULL: nothing is known of. A literal. */
const char *events_unseen(struct model *m, enum event_kind kind);

/* Why @kind will never be seen in the target of @m as it is now, though it has places, or NULL. */
MUST_USE struct error *events_check_to_come(struct model *m, enum event_kind kind);

/*
 * Where a thread that encounters a parallel construct enters the runtime: EVENT_AT_CALL, `argument` is the region's
 * function. Of regions that the compiler serializes by itself the runtime is not told. Errors as above.
 */
MUST_USE struct error *events_find_regions(struct model *m, struct event_place *ret, size_t *n_ret);

/* The same of all runtimes, or of number @only of them (-1: all), at most EVENTS_MAX_OF_ALL, as events_find_of_all()
 * does. */
MUST_USE struct error *events_find_all_regions(struct runtimes *r, int only, struct event_place *ret, size_t *n_ret);

/* Which argument of the function @symbol is a parallel region's, where that is an entry point for regions; -1: it is
 * none. */
int events_region_argument(const char *symbol);

/* Whether a call that returns to @return_address counts where @caller is asked for. */
bool events_caller_counts(struct model *m, enum event_caller caller, uint64_t return_address);

#endif
