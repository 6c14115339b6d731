/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Requests that are not part of DAP, in both modes: ompdd/tree, ompdd/why, ompdd/profile, ompdd/focus. docs/ide.md
 * describes their arguments. */
#ifndef OMPDD_DAP_CUSTOM_H
#define OMPDD_DAP_CUSTOM_H

#include "session.h"
#include "debuggee.h"

bool custom_handles(const char *command);
/* Answer @request about @t, once it is attached and sampled. Refuse it if there is no target yet. */
void custom_request(struct dap_session *s, struct debuggee *t, bool has_target, struct json_object *request);

#endif
