/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Requests of a step, and their answers. */
#include "step_script.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "connection.h"
#include "format.h"
#include "message.h"

/* Relative to the folder of our own executable, both installed and in a build folder. */
#define SCRIPT "../share/ompdd/debuggers/openmp_steps.py"

/* A request, and the step that it belongs to. */
struct step_request {
	struct step_script *script;
	uint64_t turn;
	step_script_fn *done, *failed;
	step_script_view_fn *view;
};

static struct step_request *create_request(struct step_script *s, step_script_fn *done)
{
	struct step_request *a = text_calloc(1, sizeof(*a));

	*a = (struct step_request){.script = s, .turn = s->turn, .done = done};
	return a;
}

static bool is_late(const struct step_request *a)
{
	return a->turn != a->script->turn;
}

void step_script_forget(struct step_script *s)
{
	s->turn++;
}

void step_script_add_plant(struct json_object *query, uint64_t address, int64_t tid)
{
	struct json_object *list = json_read_member(query, "plant"), *one = json_object_new_array();

	if (!list) {
		list = json_object_new_array();
		json_object_object_add(query, "plant", list);
	}
	json_object_array_add(one, json_object_new_int64((int64_t)address));
	json_object_array_add(one, json_object_new_int64(tid));
	json_object_array_add(list, one);
}

uint64_t step_script_address(struct json_object *place)
{
	const char *text = dap_message_string(place, "address");

	return text ? strtoull(text, NULL, 16) : 0;
}

/* The script */

static struct json_object *parse_answer(struct json_object *response)
{
	const char *text = adapter_printed(response), *at = text ? strstr(text, "OMPDD {") : NULL;

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
		a->done(a->script->arg, answer);
	json_object_put(answer);
	free(a);
}

void step_script_ask(struct step_script *s, struct json_object *query, step_script_fn *done)
{
	struct buf t = {0};

	/* The backtick is the adapter's prefix of a command. */
	text_printf(&t, "`openmp-step %s", json_object_to_json_string_ext(query, JSON_C_TO_STRING_PLAIN));
	adapter_evaluate(s->adapter, t.data, on_answer, create_request(s, done));
	buf_deinit(&t);
	json_object_put(query);
}

void step_script_load_and_ask(struct step_script *s, struct json_object *query, step_script_fn *done)
{
	char *path = s->is_loaded ? NULL : spawn_file_beside_us(SCRIPT);
	struct buf t = {0};

	if (path) {
		text_printf(&t, "`command script import \"%s\"", path);
		adapter_evaluate(s->adapter, t.data, NULL, NULL);
		buf_deinit(&t);
		free(path);
		s->is_loaded = true;
	}
	/* If the script is missing, the answer is an error. */
	step_script_ask(s, query, done);
}

/* The native adapter */

static void on_stack(void *arg, struct json_object *request, struct json_object *response)
{
	struct step_request *a = arg;

	(void)request;
	if (!is_late(a))
		a->done(a->script->arg, dap_message_array(dap_message_get(response, "body", NULL), "stackFrames"));
	free(a);
}

void step_script_request_stack(struct step_script *s, int64_t tid, int64_t levels, step_script_fn *done)
{
	adapter_request_stack(s->adapter, tid, levels, on_stack, create_request(s, done));
}

/* ompdd */

static void on_view(void *arg)
{
	struct step_request *a = arg;

	if (!is_late(a))
		a->view(a->script->arg, debuggee_view(a->script->target));
	free(a);
}

void step_script_await_view(struct step_script *s, step_script_view_fn *done)
{
	struct step_request *a = create_request(s, NULL);

	a->view = done;
	debuggee_wait(s->target, SERVICE_PATIENCE_MS, on_view, a);
}

static void on_addresses(void *arg, struct json_object *result, struct json_object *error)
{
	struct step_request *a = arg;

	if (!is_late(a) && result)
		a->done(a->script->arg, result);
	else if (!is_late(a))
		a->failed(a->script->arg, error);
	free(a);
}

void step_script_request_addresses(struct step_script *s, step_script_fn *done, step_script_fn *failed)
{
	struct step_request *a = create_request(s, done);

	a->failed = failed;
	debuggee_call(s->target, "breakpoint.addresses", json_object_new_object(), on_addresses, a);
}
