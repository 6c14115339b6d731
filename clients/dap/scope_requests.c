/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Answers `scopes` requests: the native adapter's scopes and ours. */
#include "scope_requests.h"

#include <stdlib.h>

#include <json-c/json.h>

#include "message.h"
#include "text.h"

static int64_t get_frame_id(struct json_object *request)
{
	return dap_message_int(dap_message_get(request, "arguments", NULL), "frameId", -1);
}

/* An answer about scopes that waits for the devices. */
struct scopes_answer {
	struct scope_requests *requests;
	struct json_object *request, *response; /* owned */
};

static void on_scopes_prepared(void *arg)
{
	struct scopes_answer *a = arg;
	struct scope_requests *s = a->requests;
	/* The process may have run meanwhile: then the frame has no scopes of ours. */
	const struct scoped_frame *frame = frame_scopes_find(s->scopes, get_frame_id(a->request));
	struct json_object *body = dap_message_copy(dap_message_get(a->response, "body", NULL));
	struct json_object *scopes = dap_message_copy_array(body, "scopes");

	frame_scopes_list(s->scopes, frame, debuggee_view(s->target), scopes);
	json_object_object_add(body, "scopes", scopes);
	dap_client_pass_changed(s->client, a->request, a->response, body);
	json_object_put(a->request);
	json_object_put(a->response);
	free(a);
}

static void answer_scopes(struct scope_requests *s, struct json_object *request, struct json_object *response)
{
	struct scopes_answer *a = text_calloc(1, sizeof(*a));

	*a = (struct scopes_answer){s, json_object_get(request), json_object_get(response)};
	frame_scopes_prepare(s->scopes, debuggee_view(s->target), on_scopes_prepared, a);
}

static void on_scopes(void *arg, struct json_object *request, struct json_object *response)
{
	struct scope_requests *s = arg;
	const struct scoped_frame *frame = frame_scopes_find(s->scopes, get_frame_id(request));

	if (frame && dap_message_array(dap_message_get(response, "body", NULL), "scopes"))
		answer_scopes(s, request, response);
	else
		dap_client_pass(s->client, request, response);
}

bool scope_requests_is_own(const struct scope_requests *s, struct json_object *request)
{
	return frame_scopes_is_own(s->scopes, get_frame_id(request));
}

void scope_requests_answer(struct scope_requests *s, struct json_object *request)
{
	struct json_object *response;

	if (!scope_requests_is_own(s, request)) {
		adapter_forward(s->adapter, request, on_scopes, s);
		return;
	}
	response = dap_message_response(request, NULL);
	answer_scopes(s, request, response);
	json_object_put(response);
}
