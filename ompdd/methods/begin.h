/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Give a worker its target, and describe the target. Shared by target.c and launch.c. */
#ifndef OMPDD_METHODS_BEGIN_H
#define OMPDD_METHODS_BEGIN_H

#include <stdbool.h>

#include "base/error.h"

struct json_object;
struct target;
struct worker;

/* Return ERR_INVALID_REQUEST if the worker has had a target: it gets only one in its life. */
MUST_USE struct error *begin_refuse(struct worker *w);
/* Give the worker its target. *@ret: a description of the target. Afterwards this process can no longer gain rights. */
MUST_USE struct error *begin_target(struct worker *w, struct target *target TAKES, struct json_object **ret);
/* Build target_info of the schema. @seen_running: as in stop_state_name(). */
MUST_USE struct error *begin_info(struct worker *w, bool seen_running, struct json_object **ret);

#endif
