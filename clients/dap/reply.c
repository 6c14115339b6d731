/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Replies that wait. */
#include "reply.h"

#include <stdlib.h>

#include <json-c/json.h>

#include "text.h"

struct dap_reply *dap_reply_create(struct dap_client *c, struct json_object *request, void *arg)
{
	struct dap_reply *r = text_calloc(1, sizeof(*r));

	*r = (struct dap_reply){c, json_object_get(request), arg};
	return r;
}

static void destroy_reply(struct dap_reply *r)
{
	json_object_put(r->request);
	free(r);
}

void dap_reply_send(struct dap_reply *r, struct json_object *body)
{
	dap_client_answer(r->client, r->request, body);
	destroy_reply(r);
}

void dap_reply_refuse(struct dap_reply *r, const char *why)
{
	dap_client_refuse(r->client, r->request, why);
	destroy_reply(r);
}

void dap_reply_fail(struct dap_reply *r, struct json_object *error)
{
	char *why = service_error_text(error);

	dap_reply_refuse(r, why);
	free(why);
}

void dap_reply_done(void *arg, struct json_object *result, struct json_object *error)
{
	if (result)
		dap_reply_send(arg, NULL);
	else
		dap_reply_fail(arg, error);
}
