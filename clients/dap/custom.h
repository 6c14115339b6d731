/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Requests that are not part of DAP, in both modes: ompdd/tree, ompdd/why, ompdd/profile, ompdd/focus. docs/ide.md
 * describes their arguments. */
#ifndef OMPDD_DAP_CUSTOM_H
#define OMPDD_DAP_CUSTOM_H

#include "custom_events.h"
#include "thread_ids.h"

bool custom_handles(const char *command);
/* Answer @request about the target of @events, once it is attached and sampled. @ids: the client's thread ids; NULL: it
 * uses the kernel's. */
void custom_request(struct custom_events *events, const struct thread_ids *ids, struct json_object *request);

#endif
