/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The answer to `stackTrace` without a native adapter: ompdd's logical stacks. */
#ifndef OMPDD_DAP_LOGICAL_STACKS_H
#define OMPDD_DAP_LOGICAL_STACKS_H

#include "frame_scopes.h"

/* Answer @request about the target of @scopes, which remember the frames. */
void logical_stacks_request(struct frame_scopes *scopes, struct json_object *request);

#endif
