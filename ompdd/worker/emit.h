/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events on their way up to the daemon. Called by worker/ and methods/, sent by worker/loop.c. */
#ifndef OMPDD_WORKER_EMIT_H
#define OMPDD_WORKER_EMIT_H

#include "base/error.h"

struct json_object;
struct worker;

/* With more than this unsent, events are dropped: a request that makes so many is no longer served by them. */
#define EMIT_MAX_BYTES (4u << 20)

/*
 * Report the event @type ("stopped", see protocol/schema/common/definitions.json, event) with the further members @params, a JSON
 * object or NULL, which is taken. It goes out behind the answer to the request that is being handled. What cannot be sent is logged.
 */
void worker_emit(struct worker *w, const char *type, struct json_object *params TAKES);

/* The same with the one member epoch, of the present view. */
void worker_emit_epoch(struct worker *w, const char *type);

/* The event "exec", unless this exec was reported already. */
void worker_report_exec(struct worker *w);

/* target_check(), which reports the event "exec" when that is what it finds, once. There must be a target. */
MUST_USE struct error *worker_check_target(struct worker *w);

#endif
