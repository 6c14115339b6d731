/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Conditions of a breakpoint: where in OpenMP the thread is, and how many hits came before. */
#ifndef OMPDD_WORKER_CONDITION_H
#define OMPDD_WORKER_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "openmp/model/events.h"
#include "target/source/functions.h"
#include "target/trace/filter.h"

struct target_event;
struct worker;

struct condition {
	bool has_thread_num, has_level, has_device;
	int64_t thread_num, level;
	int64_t device; /* the number that the program passed to the runtime, or the default device */
	/*
	 * The innermost region's function must be one of these. At an entry point, the region that starts counts.
	 * Empty: any.
	 */
	uint64_t regions[FUNCTIONS_MAX];
	size_t n_regions;
	int runtime; /* number of the runtime that is asked, from 0; -1: the condition must hold in one of them */
};

/* A client's request, as in struct breakpoint_spec. A function's name, or NULL. */
struct condition_spec {
	bool has_thread_num, has_level, has_device;
	int64_t thread_num, level, device;
	const char *region;
};

/*
 * Create a condition for @event (EVENT_KINDS: no event) in runtime number @runtime (-1: any).
 * ERR_CONDITION_UNAVAILABLE: it cannot be evaluated in this target; errors of functions_find(), model_need_plugin() and
 * model_open(). Before the program uses OpenMP, the check is deferred to each hit.
 */
MUST_USE struct error *condition_create(struct worker *w, const struct condition_spec *spec, enum event_kind event,
					int runtime, struct condition *ret);

bool condition_is_any(const struct condition *c);
/* Return whether the library must be asked at @place. Adds the part that the tracer can check by itself to @filter. */
bool condition_to_filter(const struct condition *c, const struct event_place *place, struct target_filter *filter);

enum condition_answer { CONDITION_NO, CONDITION_YES, CONDITION_UNKNOWN };

/* Evaluate the condition for the thread of @e, which is stopped at @place. */
enum condition_answer condition_holds(struct worker *w, const struct condition *c, const struct event_place *place,
				      const struct target_event *e);

#endif
