/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Why a target stands still, as JSON: `stop` of target.info. */
#ifndef OMPDD_METHODS_STOP_H
#define OMPDD_METHODS_STOP_H

#include <stdbool.h>

struct json_object;
struct worker;

/* "running", "held", "breakpoint", "exited", "core". @seen_running: the process had not ended a moment ago; else it is
 * looked at. */
const char *stop_state_name(struct worker *w, bool seen_running);
/* The present stop, with the region and the task of its thread as handles of w->client; NULL when the target is not
 * held. */
struct json_object *stop_json(struct worker *w);
/* The step that goes on: `step` of target.info; NULL when there is none. */
struct json_object *stop_step_json(struct worker *w);
/* `serialize`: regions that are still to have one thread. NULL: none. */
struct json_object *stop_serialize_json(struct worker *w);

#endif
