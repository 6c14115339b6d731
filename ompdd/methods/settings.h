/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The settings of the runtime and of its threads: as set in the environment, and as they are in force. */
#ifndef OMPDD_METHODS_SETTINGS_H
#define OMPDD_METHODS_SETTINGS_H

#include "base/error.h"
#include "worker/worker.h"

struct json_object;

/*
 * Add "settings" and, if a source is missing, "unavailable" to @o (icv.settings.json). The sources are:
 * - environment: the variables of runtimes in the environment that the program was started with;
 * - memory: what the OMPD library reads in the main runtime (ompd_get_display_control_vars);
 * - kernel: the limit of stacks, and the processors that each thread may use.
 * Adds the view's members, too, if there was a view of the memory.
 */
MUST_USE struct error *settings_add(struct worker *w, struct json_object *o);

#endif
