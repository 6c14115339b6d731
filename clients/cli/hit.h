/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A stop of a followed target at a breakpoint or the end of a step, as `ompdctl break` and `step` tell it. */
#ifndef OMPDD_CLI_HIT_H
#define OMPDD_CLI_HIT_H

#include "follower.h"

/* Ask what is known of the hit that @event tells, of which any part may be missing, and write it. */
struct failure *hit_tell(struct follower *f, struct json_object *event);

#endif
