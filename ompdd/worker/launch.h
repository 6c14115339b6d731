/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A launched program on its way from its first instruction to where it shall stop first. */
#ifndef OMPDD_WORKER_LAUNCH_H
#define OMPDD_WORKER_LAUNCH_H

#include "base/error.h"
#include "openmp/model/events.h"

struct worker;

enum launch_stop { LAUNCH_NEVER, LAUNCH_AT_EXEC, LAUNCH_AT_MAIN, LAUNCH_AT_EVENT };

/* Why it does not stand, or will not stop, where it was told. */
struct launch_outcome {
	const char *name; /* of a warning, a literal of protocol/errors.json; NULL: all is well */
	char message[256];
};

/*
 * w->target was just launched and stands behind its exec: let it run to @stop. AT_EVENT: @event; it runs then, with a
 * breakpoint of w->client for its first hit. If it stands afterwards, w->client holds it. An end on the way is no
 * error.
 */
MUST_USE struct error *launch_proceed(struct worker *w, enum launch_stop stop, enum event_kind event,
				      struct launch_outcome *ret);

#endif
