/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of <ompdd/client.h> for connections. */
#include "ompdd/client.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "answer.h"
#include "base/clock.h"
#include "connect.h"
#include "public_error.h"

#define API		   __attribute__((visibility("default")))
#define DEFAULT_TIMEOUT_MS 30000

struct ompdd_client {
	struct rpc rpc;
	char *programs; /* owned */
	bool is_broken; /* an error has shown that the connection is of no use */
};

static const struct advice library_advice = {
	.timeout = "a longer time limit waits longer",
	.not_running = "is ompdd running, and is this its address? A worker needs no running ompdd",
	.no_daemon_program = "install ompdd",
	.no_bridge = "install ompdd, or use the daemon's unix: or tcp: address",
	.untrusted_socket = "pass unix:PATH as the address; or unset XDG_RUNTIME_DIR, TMPDIR, OMPDD_URI and "
			    "OMPDD_NODE_URI",
	.untrusted_token = "pass the token file as an option, or unset OMPDD_TOKEN_FILE",
	.no_token = "pass the file with ompdd's token as an option, or name it in $OMPDD_TOKEN_FILE",
};

/* Copy the members that the caller's version of the struct has. */
static struct error *read_options(const struct ompdd_client_options *given, struct ompdd_client_options *ret)
{
	*ret = (struct ompdd_client_options){0};
	if (!given)
		return NULL;
	if (given->size < sizeof(given->size) || given->size > sizeof(*ret))
		return failure_create(ERR_USAGE, "bad_options",
				      "set it to sizeof(struct ompdd_client_options), and use the library's own header",
				      "the options have the size %zu", given->size);
	memcpy(ret, given, given->size);
	if (ret->timeout_ms < 0)
		return failure_create(ERR_USAGE, "bad_options", "0 is the default, 30000",
				      "the time limit is %d milliseconds", ret->timeout_ms);
	return NULL;
}

API void ompdd_client_close(struct ompdd_client *client)
{
	if (!client)
		return;
	/* The time limit of the last call does not hurry the end of a healthy worker. */
	if (!client->is_broken)
		rpc_restart(&client->rpc);
	rpc_deinit(&client->rpc);
	free(client->programs);
	free(client);
}

/*
 * Return the folder of our helper programs: beside the library, or where the installation was configured. NULL: out of
 * memory. The caller frees it.
 */
static char *find_programs(void)
{
	char *path = NULL;
	Dl_info library;

	if (dladdr(&library_advice, &library) && library.dli_fname && strrchr(library.dli_fname, '/')) {
		int folder_len = (int)(strrchr(library.dli_fname, '/') - library.dli_fname);

		if (asprintf(&path, "%.*s/%s", folder_len, library.dli_fname, OMPDD_PROGRAMS_FROM_LIBRARY) < 0)
			return NULL;
		if (!access(path, X_OK))
			return path;
		free(path);
	}
	return strdup(OMPDD_PROGRAMS);
}

static struct error *create_client(const struct ompdd_client_options *o, struct ompdd_client **ret)
{
	struct ompdd_client *client = calloc(1, sizeof(*client));
	char *programs = o->programs ? strdup(o->programs) : find_programs();

	if (!client || !programs) {
		free(client);
		free(programs);
		return &error_nomem;
	}
	client->programs = programs;
	rpc_init(&client->rpc, &library_advice, o->timeout_ms ? o->timeout_ms : DEFAULT_TIMEOUT_MS, -1);
	client->rpc.conn.programs = programs;
	rpc_want_events(&client->rpc);
	if (!client->rpc.events) {
		ompdd_client_close(client);
		return &error_nomem;
	}
	*ret = client;
	return NULL;
}

/* Return @client in @ret, or close it because of @err. */
static struct ompdd_error *finish_open(struct error *err, struct ompdd_client *client, struct ompdd_client **ret)
{
	if (err)
		ompdd_client_close(client);
	else
		*ret = client;
	return public_error(err);
}

API struct ompdd_error *ompdd_client_connect(const char *address, const struct ompdd_client_options *options,
					     struct ompdd_client **ret)
{
	struct ompdd_client *client = NULL;
	struct ompdd_client_options o;
	int is_elsewhere;
	struct error *err = read_options(options, &o);

	if (!err)
		err = create_client(&o, &client);
	if (!err)
		err = connect_daemon(&client->rpc,
				     &(struct connect_options){.uri = address, .token_file = o.token_file},
				     &is_elsewhere);
	return finish_open(err, client, ret);
}

API struct ompdd_error *ompdd_client_start_worker(const struct ompdd_client_options *options, struct ompdd_client **ret)
{
	struct ompdd_client *client = NULL;
	struct ompdd_client_options o;
	struct error *err = read_options(options, &o);

	if (!err)
		err = create_client(&o, &client);
	if (!err && !spawn_open_worker(&client->rpc.conn, -1))
		err = failure_create(ERR_CONNECT, "cannot_start",
				     "install ompdd, or name the folder of ompdd-worker in the option programs",
				     "cannot start %s/ompdd-worker", client->programs);
	return finish_open(err, client, ret);
}

API void ompdd_client_set_timeout(struct ompdd_client *client, int timeout_ms)
{
	client->rpc.conn.timeout_ms = timeout_ms > 0 ? timeout_ms : 1;
}

/* Return the failure of a client that cannot be used any more; NULL: it can. */
static struct error *check_client(const struct ompdd_client *client)
{
	if (!client->is_broken)
		return NULL;
	return failure_create(ERR_CONNECT, "connection_lost", "connect anew", "the connection to %s has failed before",
			      client->rpc.conn.name);
}

/* Note what @err, which may be NULL, means for the client. Returns @err. */
static struct error *note_failure(struct ompdd_client *client, struct error *err)
{
	if (error_is(err, ERR_CONNECT) && !connection_is_timeout(err))
		client->is_broken = true;
	return err;
}

static struct error *call_method(struct ompdd_client *client, const char *method, struct json_object *params,
				 struct json_object **ret)
{
	struct rpc *r = &client->rpc;
	struct error *err = check_client(client);

	if (err)
		return err;
	if (params && !json_object_is_type(params, json_type_object))
		return failure_create(ERR_USAGE, "bad_params", "like {\"pid\":4711}",
				      "the parameters are not an object");
	rpc_restart(r);
	int id = rpc_request(r, method, json_object_get(params));
	err = rpc_wait(r, id, ret);
	if (err)
		rpc_abandon(r, id);
	return note_failure(client, err);
}

API struct ompdd_error *ompdd_client_call(struct ompdd_client *client, const char *method, struct json_object *params,
					  struct json_object **ret)
{
	return public_error(call_method(client, method, params, ret));
}

API struct ompdd_error *ompdd_client_call_text(struct ompdd_client *client, const char *method, const char *params,
					       char **ret)
{
	struct json_object *object = params ? answer_parse(params, strlen(params)) : NULL, *result = NULL;

	if (params && !json_object_is_type(object, json_type_object)) {
		json_object_put(object);
		return public_error(failure_create(ERR_USAGE, "bad_params", "like {\"pid\":4711}",
						   "the parameters are not the text of a JSON object"));
	}
	struct error *err = call_method(client, method, object, &result);
	json_object_put(object);
	if (!err && ret) {
		char *text = strdup(json_object_to_json_string_ext(result, JSON_C_TO_STRING_PLAIN));

		if (text)
			*ret = text;
		else
			err = &error_nomem;
	}
	json_object_put(result);
	return public_error(err);
}

API struct ompdd_error *ompdd_client_subscribe(struct ompdd_client *client, const char *target)
{
	struct json_object *params = json_object_new_object(), *targets = json_object_new_array();
	struct json_object *name = target ? json_object_new_string(target) : NULL;
	struct error *err = params && targets && (name || !target) ? NULL : &error_nomem;

	if (!err && name) {
		if (json_object_array_add(targets, json_object_get(name)) ||
		    json_object_object_add(params, "targets", json_object_get(targets)))
			err = &error_nomem;
	}
	if (!err)
		err = call_method(client, "event.subscribe", params, NULL);
	json_object_put(name);
	json_object_put(targets);
	json_object_put(params);
	return public_error(err);
}

API struct ompdd_error *ompdd_client_next_event(struct ompdd_client *client, int timeout_ms, struct json_object **ret)
{
	int64_t deadline_ms = timeout_ms < 0 ? INT64_MAX : clock_now_ms() + timeout_ms;
	struct error *err = check_client(client);

	if (!err)
		err = note_failure(client, rpc_next_event_until(&client->rpc, deadline_ms, ret));
	return public_error(err);
}

API int ompdd_client_fd(const struct ompdd_client *client)
{
	return client->rpc.conn.fd;
}

API const char *ompdd_client_version(void)
{
	return OMPDD_VERSION;
}
