/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* profile.start, .get and .stop, and the choice of their target. */
#include "recording.h"

#include <stdlib.h>

#include <json-c/json.h>

#include "base/path.h"
#include "format.h"
#include "interrupt.h"

static struct json_object *create_target_params(const struct recording *r)
{
	struct json_object *params = json_object_new_object();

	json_object_object_add(params, "target", json_object_new_string(r->target));
	return params;
}

/* Return the program without its folder. */
static char *create_program_name(struct json_object *info)
{
	const char *exe = json_read_string(json_read_member(info, "exe"));
	struct buf t = {0};

	text_add_safe(&t, exe ? path_file_name(exe) : "program", 1);
	return text_take(&t);
}

static struct error *open_target(struct recording *r)
{
	struct conversation *s = r->s;
	int is_private = args_is_private(s->args);
	struct error *f = is_private ? conversation_open_alone(s) : conversation_open(s);

	if (f)
		return f;
	interrupt_catch(&s->rpc.conn);
	if (s->args->target) {
		r->target = text_strdup(s->args->target);
		f = conversation_call(s, "target.info", create_target_params(r), &s->info);
	} else {
		f = conversation_attach(s);
		r->is_attached_by_us = !f && !is_private;
	}
	const char *target = f ? NULL : json_read_string(json_read_member(s->info, "target"));
	if (f)
		return f;
	if (!target)
		return failure_create(ERR_CONNECT, "bad_answer", NULL, "the answer has no target");
	free(r->target);
	r->target = text_strdup(target);
	r->program = create_program_name(s->info);
	return NULL;
}

struct error *recording_begin(struct recording *r, struct conversation *s, int timeline)
{
	struct json_object *result;

	*r = (struct recording){.s = s};
	struct error *f = open_target(r);
	if (f)
		return f;
	struct json_object *params = create_target_params(r);
	if (s->args->rate)
		json_object_object_add(params, "rate_hz", json_object_new_int64(s->args->rate));
	json_object_object_add(params, "timeline", json_object_new_boolean(timeline));
	f = conversation_call(s, "profile.start", params, &result);
	if (f)
		return f;
	json_object_put(result);
	r->has_begun = 1;
	/* Keep what is recorded from now on, also when a signal comes. */
	s->rpc.conn.interrupted = NULL;
	return NULL;
}

struct error *recording_get(struct recording *r, int stacks, int timeline, int64_t since_us, struct json_object **ret)
{
	struct json_object *params = create_target_params(r);

	json_object_object_add(params, "stacks", json_object_new_boolean(stacks));
	json_object_object_add(params, "timeline", json_object_new_boolean(timeline));
	if (timeline && since_us > 0)
		json_object_object_add(params, "timeline_since_us", json_object_new_int64(since_us));
	return conversation_call(r->s, "profile.get", params, ret);
}

int recording_goes_on(struct json_object *result)
{
	return json_read_bool(json_read_member(json_read_member(result, "profile"), "recording"));
}

struct error *recording_run(struct recording *r, double default_s)
{
	const struct args *args = r->s->args;

	interrupt_wait(&r->s->rpc.conn, (int64_t)((args->seconds > 0 ? args->seconds : default_s) * 1000));
	interrupt_forget(&r->s->rpc.conn);
	return recording_stop(r);
}

struct error *recording_stop(struct recording *r)
{
	struct json_object *result;
	struct error *f = conversation_call(r->s, "profile.stop", create_target_params(r), &result);

	if (!f)
		json_object_put(result);
	r->has_begun = 0;
	return f;
}

struct error *recording_close(struct recording *r, struct error *failure)
{
	r->s->rpc.conn.interrupted = NULL;
	if (r->has_begun && !failure)
		failure = recording_stop(r);
	if (r->is_attached_by_us)
		failure = conversation_detach(r->s, failure);
	free(r->target);
	free(r->program);
	*r = (struct recording){0};
	return failure;
}

struct error *recording_end(struct recording *r, struct error *failure)
{
	struct connection *c = &r->s->rpc.conn;

	failure = recording_close(r, failure);
	interrupt_release(c);
	return failure;
}
