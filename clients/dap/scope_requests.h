/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The client's `scopes` requests, which wait for the native adapter and for the devices. */
#ifndef OMPDD_DAP_SCOPE_REQUESTS_H
#define OMPDD_DAP_SCOPE_REQUESTS_H

#include "adapter.h"
#include "frame_scopes.h"

struct scope_requests {
	struct dap_client *client;
	struct adapter *adapter;
	struct debuggee *target;
	struct frame_scopes *scopes;
};

/* Return whether the frame that @request names is one of our own. */
bool scope_requests_is_own(const struct scope_requests *s, struct json_object *request);
/* Answer @request with the scopes of its frame. The native adapter is asked for its own frames first. */
void scope_requests_answer(struct scope_requests *s, struct json_object *request);

#endif
