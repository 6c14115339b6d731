/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which hits of a breakpoint count: by where in OpenMP the thread is, and by how many were before. */
#ifndef OMPDD_WORKER_CONDITION_H
#define OMPDD_WORKER_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "openmp/model/events.h"
#include "target/filter.h"
#include "target/functions.h"

struct target_event;
struct worker;

struct condition {
	bool has_thread_num, has_level;
	int64_t thread_num, level;
	/* One of these is the function of the innermost region; of one that begins, at its entry point. None: any. */
	uint64_t regions[FUNCTIONS_MAX];
	size_t n_regions;
	int runtime; /* number of the one that is asked, from 0; -1: where it holds in one of them, it holds */
};

/* What a client asks for, as in struct breakpoint_spec; a function's name, or NULL. */
struct condition_spec {
	bool has_thread_num, has_level;
	int64_t thread_num, level;
	const char *region;
};

/*
 * Whether it can be known for @event (EVENT_KINDS: of none) in the target; of runtime number @runtime (-1: of any).
 * ERR_CONDITION_UNAVAILABLE, those of
 * functions_find(), model_need_plugin() and model_open(). What cannot be known before the program uses OpenMP is found
 * out with each hit.
 */
MUST_USE struct error *condition_create(struct worker *w, const struct condition_spec *spec, enum event_kind event,
					int runtime, struct condition *ret);

bool condition_is_any(const struct condition *c);
/* Whether the library must be asked at @place, for which @filter gets what the tracer can look at by itself. */
bool condition_to_filter(const struct condition *c, const struct event_place *place, struct target_filter *filter);

enum condition_answer { CONDITION_NO, CONDITION_YES, CONDITION_UNKNOWN };

/* Of the thread of @e, which stands at @place. */
enum condition_answer condition_holds(struct worker *w, const struct condition *c, const struct event_place *place,
				      const struct target_event *e);

#endif
