/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The common part of all commands that follow a target: calls, waiting for an event, output. */
#include "follower.h"

#include <string.h>

#include <json-c/json.h>

#include "format.h"

struct error *follower_flush(struct follower *f)
{
	struct error *failure = f->write(f->out.data ? f->out.data : "", f->out.len, &f->gone);

	buf_deinit(&f->out);
	return failure;
}

struct json_object *follower_params(const struct follower *f)
{
	struct json_object *params = json_object_new_object();

	if (f->target)
		json_object_object_add(params, "target", json_object_new_string(f->target));
	return params;
}

struct error *follower_subscribe(struct follower *f)
{
	struct json_object *params = json_object_new_object();

	if (f->target) {
		struct json_object *targets = json_object_new_array();

		json_object_array_add(targets, json_object_new_string(f->target));
		json_object_object_add(params, "targets", targets);
	}
	rpc_want_events(&f->s->rpc);
	/* HTTP delivers all events on a connection of their own. Only check that the target exists. */
	const char *method = f->s->rpc.conn.is_http ? (f->target ? "target.info" : "daemon.info") : "event.subscribe";
	if (f->s->rpc.conn.is_http) {
		json_object_put(params);
		params = follower_params(f);
	}
	return follower_call(f, method, params);
}

void follower_name_process(struct follower *f)
{
	if (f->pid)
		text_printf(&f->out, "process %ld, ", f->pid);
}

int follower_is_one_of(struct json_object *event, const char *const *types)
{
	const char *type = json_read_string(json_read_member(event, "type"));

	for (; type && *types; types++) {
		if (!strcmp(type, *types))
			return 1;
	}
	return 0;
}

int follower_is_last(struct json_object *event)
{
	static const char *const types[] = {"exited", "detached", "plugin_failed", "worker_failed", NULL};

	return follower_is_one_of(event, types);
}

struct error *follower_next_event(struct follower *f, struct json_object **ret)
{
	for (;;) {
		struct error *failure = rpc_next_event(&f->s->rpc, ret);
		const char *target = failure ? NULL : json_read_string(json_read_member(*ret, "target"));

		if (failure || !f->target || !target || !strcmp(target, f->target))
			return failure;
		json_object_put(*ret);
	}
}

struct error *follower_call(struct follower *f, const char *method, struct json_object *params)
{
	return conversation_call(f->s, method, params, NULL);
}

struct error *follower_resume(struct follower *f)
{
	return follower_call(f, "target.resume", follower_params(f));
}

struct error *follower_call_last(struct follower *f, const char *method, struct error *failure)
{
	struct error *late = follower_call(f, method, follower_params(f));

	if (!failure)
		return late;
	error_destroy(late);
	return failure;
}

struct error *follower_say_runs_on(struct follower *f)
{
	if (!f->s->args->program || f->s->args->json)
		return NULL;
	format_value(&f->out, f->style, json_read_member(f->s->info, "pid"));
	text_add(&f->out, " runs on\n");
	return follower_flush(f);
}
