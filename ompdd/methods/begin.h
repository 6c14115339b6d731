/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A worker gets its target, and what is said of it. Shared by target.c and launch.c. */
#ifndef OMPDD_METHODS_BEGIN_H
#define OMPDD_METHODS_BEGIN_H

#include <stdbool.h>

#include "base/error.h"

struct json_object;
struct target;
struct worker;

/* A worker has one target in its life: ERR_INVALID_REQUEST. */
MUST_USE struct error *begin_refuse(struct worker *w);
/* Give the worker its target; answers with what is known of it. Afterwards this process can gain no rights any more. */
MUST_USE struct error *begin_target(struct worker *w, struct target *target TAKES, struct json_object **ret);
/* target_info of the schema; @seen_running as in stop_state_name(). */
MUST_USE struct error *begin_info(struct worker *w, bool seen_running, struct json_object **ret);

#endif
