/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The scopes "Thread", "Task ICVs" and "Region" of a frame. */
#ifndef OMPDD_DAP_SCOPE_H
#define OMPDD_DAP_SCOPE_H

#include "variables.h"
#include "view.h"

/* Append the scopes of a frame of @thread that executes @task, which may be OVERVIEW_NONE, to @scopes. */
void scope_add(struct variables *variables, const struct view *v, size_t thread, size_t task,
	       struct json_object *scopes);

#endif
