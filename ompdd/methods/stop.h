/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The reason why a target is stopped, as JSON: `stop` of target.info. */
#ifndef OMPDD_METHODS_STOP_H
#define OMPDD_METHODS_STOP_H

#include <stdbool.h>

struct json_object;
struct worker;

/*
 * Return "running", "held", "breakpoint", "exited" or "core". @seen_running: the process had not exited a moment ago;
 * otherwise this function checks it.
 */
const char *stop_state_name(struct worker *w, bool seen_running);
/*
 * Return the present stop, with the region and the task of its thread as handles of w->client. NULL: the target is not
 * held.
 */
struct json_object *stop_json(struct worker *w);
/* Return the running step, `step` of target.info. NULL: no step is running. */
struct json_object *stop_step_json(struct worker *w);
/* Return `serialize`: the regions that shall still get one thread. NULL: none. */
struct json_object *stop_serialize_json(struct worker *w);

#endif
