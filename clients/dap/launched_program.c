/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starting a program, and reading its output. */
#include "launched_program.h"

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

void launched_program_init(struct launched_program *p, struct dap_client *client)
{
	*p = (struct launched_program){.client = client, .output = {.fd = -1}, .output_write = -1};
}

void launched_program_close(struct launched_program *p)
{
	if (p->output.fd >= 0)
		close(p->output.fd);
	if (p->output_write >= 0)
		close(p->output_write);
	p->output.fd = p->output_write = -1;
}

static void on_output(void *arg)
{
	struct launched_program *p = arg;
	char chunk[4097];
	ssize_t n = read(p->output.fd, chunk, sizeof(chunk) - 1);
	struct buf t = {0};

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		launched_program_close(p);
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
	dap_client_print(p->client, "stdout", t.data);
	buf_deinit(&t);
}

/* Add an output path, by which the program opens the writing end. A daemon may run on another machine: then there is
 * no output. */
static void add_output(struct launched_program *p, struct json_object *params)
{
	char path[64];
	int ends[2];

	if (p->client->options->uri || pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return;
	p->output = (struct watch){.fd = ends[0], .events = POLLIN, .ready = on_output, .arg = p};
	p->output_write = ends[1];
	loop_watch(&p->client->loop, &p->output);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), ends[1]);
	dap_message_put_string(params, "stdout", path);
	dap_message_put_string(params, "stderr", path);
}

struct json_object *launched_program_params(struct launched_program *p, struct json_object *request)
{
	struct json_object *arguments = dap_message_get(request, "arguments", NULL);
	struct json_object *args = dap_message_array(arguments, "args"), *env = json_read_member(arguments, "env");
	struct json_object *params = json_object_new_object(), *argv = json_object_new_array();
	const char *program = dap_message_string(arguments, "program"), *cwd = dap_message_string(arguments, "cwd");

	if (!program || *program != '/') {
		json_object_put(params);
		json_object_put(argv);
		dap_client_refuse(p->client, request, "cannot start a program: \"program\" must be an absolute path");
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
	add_output(p, params);
	return params;
}

void launched_program_started(struct launched_program *p)
{
	/* The program has opened its end by now. Close ours, so that the end of its output is noticed. */
	if (p->output_write >= 0)
		close(p->output_write);
	p->output_write = -1;
}
