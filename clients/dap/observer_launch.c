/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program that ompdd starts for the client: its arguments and its output. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"
#include "observer_internal.h"

void observer_close_output(struct observer *o)
{
	if (o->output.fd >= 0)
		close(o->output.fd);
	if (o->output_write >= 0)
		close(o->output_write);
	o->output.fd = o->output_write = -1;
}

static void on_output(void *arg)
{
	struct observer *o = arg;
	char chunk[4097];
	ssize_t n = read(o->output.fd, chunk, sizeof(chunk) - 1);
	struct text t = {0};

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		observer_close_output(o);
		return;
	}
	chunk[n] = 0;
	for (char *at = chunk; at < chunk + n;) {
		size_t len = strcspn(at, "\n\t");

		/* Keep newlines and tabs; escape all other characters that are not text. */
		char kept = at[len];
		at[len] = 0;
		text_add_safe(&t, at, 1);
		if (kept)
			text_add_bytes(&t, &kept, 1);
		at += len + 1;
	}
	text_add(&t, "");
	dap_session_say(o->s, "stdout", t.data);
	text_deinit(&t);
}

/* Add an output path, by which the program opens the writing end. A daemon may run on another machine: then there is
 * no output. */
static void add_output(struct observer *o, struct json_object *params)
{
	char path[64];
	int ends[2];

	if (o->s->options->uri || pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return;
	o->output = (struct watch){.fd = ends[0], .events = POLLIN, .ready = on_output, .arg = o};
	o->output_write = ends[1];
	loop_watch(&o->s->loop, &o->output);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), ends[1]);
	dap_message_put_string(params, "stdout", path);
	dap_message_put_string(params, "stderr", path);
}

struct json_object *observer_launch_params(struct observer *o, struct json_object *request)
{
	struct json_object *arguments = dap_message_get(request, "arguments", NULL);
	struct json_object *args = dap_message_array(arguments, "args"), *env = format_member(arguments, "env");
	struct json_object *params = json_object_new_object(), *argv = json_object_new_array();
	const char *program = dap_message_string(arguments, "program"), *cwd = dap_message_string(arguments, "cwd");

	if (!o->stops || !program || *program != '/') {
		json_object_put(params);
		json_object_put(argv);
		dap_session_refuse(
			o->s, request,
			!o->stops ? "mode observe starts nothing: attach to a process, or use \"mode\": \"stop\""
				  : "\"program\" is the whole path of a program");
		return NULL;
	}
	json_object_array_add(argv, json_object_new_string(program));
	for (size_t i = 0; i < dap_message_length(args); i++)
		json_object_array_add(argv, json_object_get(json_object_array_get_idx(args, i)));
	json_object_object_add(params, "argv", argv);
	if (json_object_is_type(env, json_type_object))
		json_object_object_add(params, "env", json_object_get(env));
	if (cwd)
		dap_message_put_string(params, "cwd", cwd);
	dap_message_put_string(params, "stop_at", "main");
	add_output(o, params);
	return params;
}

static void on_resumed(void *arg, struct json_object *result, struct json_object *error)
{
	struct observer *o = arg;

	(void)result;
	if (error) {
		char *why = service_error_text(error);

		dap_session_say(o->s, "stderr", why);
		free(why);
	}
}

void observer_launched(struct observer *o)
{
	/* The program has opened its end by now. Close ours, so that the end of its output is noticed. */
	if (o->output_write >= 0)
		close(o->output_write);
	o->output_write = -1;
	o->is_held = true;
	if (o->stop_on_entry) {
		observer_show(o, observer_stopped_body("entry", NULL, dap_message_int(o->target.info, "pid", 0)));
		return;
	}
	o->is_held = false;
	debuggee_call(&o->target, "target.resume", json_object_new_object(), on_resumed, o);
}
