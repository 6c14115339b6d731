/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A stop of a followed target at a breakpoint or the end of a step, as `ompdctl break` and `step` print it. */
#ifndef OMPDD_CLI_HIT_H
#define OMPDD_CLI_HIT_H

#include "follower.h"

/* Request the details of the hit in @event, and write them. Any detail may be missing. */
struct error *hit_report(struct follower *f, struct json_object *event);

#endif
