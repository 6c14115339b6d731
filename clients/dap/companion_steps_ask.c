/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Requests of a step to the script in the native debugger, the native adapter, and ompdd. Answers to an earlier step
 * are ignored. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "companion_steps_internal.h"
#include "connection.h"
#include "format.h"
#include "message.h"

/* Relative to the folder of our own executable, both installed and in a build folder. */
#define SCRIPT "../share/ompdd/debuggers/openmp_steps.py"

/* A request, and the step that it belongs to. */
struct step_request {
	struct companion *c;
	uint64_t turn;
	steps_fn *done, *failed;
	steps_view_fn *view;
};

static struct step_request *create_request(struct companion *c, steps_fn *done)
{
	struct step_request *a = text_calloc(1, sizeof(*a));

	*a = (struct step_request){.c = c, .turn = c->steps.turn, .done = done};
	return a;
}

static bool is_late(const struct step_request *a)
{
	return a->turn != a->c->steps.turn || a->c->steps.phase == STEPS_NONE;
}

/* The script */

static struct json_object *parse_answer(struct json_object *response)
{
	const char *text = format_string(dap_message_get(response, "body", "result", NULL));
	const char *at = text ? strstr(text, "OMPDD {") : NULL;

	if (!at)
		return NULL;
	at += strlen("OMPDD ");
	return dap_message_parse(at, strcspn(at, "\n"));
}

static void on_answer(void *arg, struct json_object *request, struct json_object *response)
{
	struct step_request *a = arg;
	struct json_object *answer = parse_answer(response);

	(void)request;
	if (a->done && !is_late(a))
		a->done(a->c, answer);
	json_object_put(answer);
	free(a);
}

/* Evaluate @command, with the adapter's prefix of a command. */
static void evaluate_command(struct companion *c, const char *command, relay_fn *done, void *arg)
{
	struct json_object *arguments = json_object_new_object();

	dap_message_put_string(arguments, "expression", command);
	dap_message_put_string(arguments, "context", "repl");
	companion_ask(c, "evaluate", arguments, done, arg);
}

void steps_ask(struct companion *c, struct json_object *wish, steps_fn *done)
{
	struct text t = {0};

	text_printf(&t, "`openmp-step %s", json_object_to_json_string_ext(wish, JSON_C_TO_STRING_PLAIN));
	evaluate_command(c, t.data, on_answer, create_request(c, done));
	text_deinit(&t);
	json_object_put(wish);
}

void steps_load_and_ask(struct companion *c, struct json_object *wish, steps_fn *done)
{
	char *script = c->steps.is_loaded ? NULL : spawn_file_beside_us(SCRIPT);
	struct text t = {0};

	if (script) {
		text_printf(&t, "`command script import \"%s\"", script);
		evaluate_command(c, t.data, NULL, NULL);
		text_deinit(&t);
		free(script);
		c->steps.is_loaded = true;
	}
	/* If the script is missing, the answer is an error. */
	steps_ask(c, wish, done);
}

/* The native adapter */

static void on_stack(void *arg, struct json_object *request, struct json_object *response)
{
	struct step_request *a = arg;

	(void)request;
	if (!is_late(a))
		a->done(a->c, dap_message_array(dap_message_get(response, "body", NULL), "stackFrames"));
	free(a);
}

void steps_ask_stack(struct companion *c, int64_t tid, steps_fn *done)
{
	struct json_object *arguments = json_object_new_object();

	dap_message_put_int(arguments, "threadId", tid);
	dap_message_put_int(arguments, "startFrame", 0);
	dap_message_put_int(arguments, "levels", COMPANION_MAX_FRAMES);
	companion_ask(c, "stackTrace", arguments, on_stack, create_request(c, done));
}

/* ompdd */

static void on_view(void *arg)
{
	struct step_request *a = arg;

	if (!is_late(a))
		a->view(a->c, a->c->target.is_fresh ? a->c->target.view : NULL);
	free(a);
}

void steps_await_view(struct companion *c, steps_view_fn *done)
{
	struct step_request *a = create_request(c, NULL);

	a->view = done;
	debuggee_wait(&c->target, SERVICE_PATIENCE_MS, on_view, a);
}

static void on_addresses(void *arg, struct json_object *result, struct json_object *error)
{
	struct step_request *a = arg;

	if (!is_late(a) && result)
		a->done(a->c, result);
	else if (!is_late(a))
		a->failed(a->c, error);
	free(a);
}

void steps_ask_addresses(struct companion *c, steps_fn *done, steps_fn *failed)
{
	struct step_request *a = create_request(c, done);

	a->failed = failed;
	debuggee_call(&c->target, "breakpoint.addresses", json_object_new_object(), on_addresses, a);
}
