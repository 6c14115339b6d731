/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One work item for libuv's threads: see credential_ask.h. */
#include "server/credential_ask.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "rpc/message.h"

struct credential_ask {
	uv_work_t work;
	const struct credential_checker *checker;
	char *credential;
	struct error *err; /* written by the thread */
	bool is_done, is_forgotten;
	void (*on_done)(void *arg);
	void *arg;
};

static void free_request(struct credential_ask *a)
{
	error_destroy(a->err);
	free(a->credential);
	free(a);
}

/* Runs in a thread of libuv. */
static void on_work(uv_work_t *work)
{
	struct credential_ask *a = work->data;

	a->err = credential_check(a->checker, a->credential);
}

static void on_work_done(uv_work_t *work, int status)
{
	struct credential_ask *a = work->data;

	(void)status; /* work items are never cancelled */
	if (a->is_forgotten) {
		free_request(a);
		return;
	}
	a->is_done = true;
	a->on_done(a->arg);
}

struct error *credential_ask_begin(uv_loop_t *loop, const struct credential_checker *c, const char *credential,
				   void (*on_done)(void *arg), void *arg, struct credential_ask **ret)
{
	struct credential_ask *a = calloc(1, sizeof(*a));

	if (!a)
		return &error_nomem;
	a->work.data = a;
	a->checker = c;
	a->credential = strdup(credential);
	a->on_done = on_done;
	a->arg = arg;
	int rc = a->credential ? uv_queue_work(loop, &a->work, on_work, on_work_done) : UV_ENOMEM;
	if (rc) {
		free_request(a);
		return error_create_errno(-rc, "ask munged");
	}
	*ret = a;
	return NULL;
}

bool credential_ask_is_done(const struct credential_ask *a)
{
	return a->is_done;
}

struct error *credential_ask_take(struct credential_ask **at, const char *credential)
{
	struct credential_ask *a = *at;
	struct error *err;

	if (!a || !a->is_done || strcmp(a->credential, credential) != 0)
		return error_hint(error_create(ERR_UNAUTHORIZED, "this request must not carry a MUNGE credential"),
				  "send it in a request of its own, not in a batch");
	err = a->err;
	a->err = NULL;
	free_request(a);
	*at = NULL;
	return err;
}

void credential_ask_forget(struct credential_ask *a)
{
	if (a && a->is_done)
		free_request(a);
	else if (a)
		a->is_forgotten = true;
}

char *credential_in_request(const char *text, size_t len)
{
	struct message_batch batch;
	struct json_object *shown;
	char *ret = NULL;

	struct error *err = message_parse(text, len, false, &batch);
	if (err) {
		error_destroy(err);
		return NULL;
	}
	if (!batch.is_batch && batch.n == 1 && !batch.errors[0] &&
	    !strcmp(batch.messages[0].method, "rpc.authenticate") &&
	    json_object_object_get_ex(batch.messages[0].params, "munge", &shown) &&
	    json_object_is_type(shown, json_type_string) &&
	    strlen(json_object_get_string(shown)) == (size_t)json_object_get_string_len(shown))
		ret = strdup(json_object_get_string(shown));
	message_batch_deinit(&batch);
	return ret;
}
