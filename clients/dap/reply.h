/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The reply to a request of the client that waits for ompdd's answer. Each function but the first sends it and frees
 * it. */
#ifndef OMPDD_DAP_REPLY_H
#define OMPDD_DAP_REPLY_H

#include "client.h"
#include "service.h"

struct dap_reply {
	struct dap_client *client;
	struct json_object *request; /* owned */
	void *arg;		     /* the owner's, borrowed */
};

struct dap_reply *dap_reply_create(struct dap_client *c, struct json_object *request, void *arg);

/* Takes ownership of @body, which may be NULL. */
void dap_reply_send(struct dap_reply *r, struct json_object *body);
void dap_reply_refuse(struct dap_reply *r, const char *why);
/* Refuse the request with the text of ompdd's @error. */
void dap_reply_fail(struct dap_reply *r, struct json_object *error);
/* Reply with an empty body, or with the error's text. @arg: a dap_reply. */
service_fn dap_reply_done;

#endif
