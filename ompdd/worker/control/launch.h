/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A launched program on its way from its first instruction to its first requested stop. */
#ifndef OMPDD_WORKER_LAUNCH_H
#define OMPDD_WORKER_LAUNCH_H

#include "base/error.h"
#include "openmp/model/events.h"

struct worker;

enum launch_stop { LAUNCH_NEVER, LAUNCH_AT_EXEC, LAUNCH_AT_MAIN, LAUNCH_AT_EVENT };

/* Why the program is not stopped, or will not stop, at the requested place. */
struct launch_outcome {
	const char *name; /* of a warning, a literal of protocol/errors.json; NULL: no warning */
	char message[256];
};

/*
 * Run w->target, which was just launched and is stopped after its exec, to @stop. AT_EVENT: it runs on return, with a
 * breakpoint of w->client for the first hit of @event. If it is stopped on return, w->client holds it. An exit on the
 * way is not an error.
 */
MUST_USE struct error *launch_proceed(struct worker *w, enum launch_stop stop, enum event_kind event,
				      struct launch_outcome *ret);

#endif
