/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The start of a step by parallel regions: the request, its preconditions, and the destination. */
#ifndef OMPDD_DAP_STEP_START_H
#define OMPDD_DAP_STEP_START_H

#include "steps.h"

/* Handle `ompdd/step`, and `stepIn` to one of our targets. */
void step_start_request(struct steps *s, struct json_object *request);
/* Return whether @request is one of these. */
bool step_start_handles(struct json_object *request);
/* Return DAP's `StepInTarget` for the next parallel region. The caller owns it. */
struct json_object *step_start_create_target(int64_t id);
/* Answer `stepInTargets`. @is_native: the answer also has the native adapter's own targets. */
void step_start_list_targets(struct steps *s, struct json_object *request, bool is_native);

#endif
