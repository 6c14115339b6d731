/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Requests that are not DAP's, in both modes: ompdd/tree, ompdd/why, ompdd/profile, ompdd/focus. docs/ide.md says what
 * they take. */
#ifndef OMPDD_DAP_CUSTOM_H
#define OMPDD_DAP_CUSTOM_H

#include "session.h"
#include "target.h"

bool custom_handles(const char *command);
/* Answer @request about @t, when it is attached to and looked at; refuse it where there is no target yet. */
void custom_request(struct session *s, struct target *t, bool has_target, struct json_object *request);

#endif
