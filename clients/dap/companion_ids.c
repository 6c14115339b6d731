/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Conversion between the native adapter's thread ids and the kernel's. lldb uses the kernel's ids. gdb numbers threads
 * itself, so the companion requests its numbers at each stop.
 */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "companion.h"
#include "format.h"
#include "message.h"

#define COMMAND                                                                                                        \
	"python import json; print('OMPDD ' + json.dumps([[t.global_num, t.ptid[1]] for t in "                         \
	"gdb.selected_inferior().threads()]))"

static struct json_object *get_pair(const struct companion *c, size_t i)
{
	return json_object_array_get_idx(c->ids, i);
}

static int64_t get_member(struct json_object *pair, size_t i)
{
	return json_object_is_type(pair, json_type_array) ? format_int(json_object_array_get_idx(pair, i), -1) : -1;
}

/* Return the other number of the pair whose number @from is @value. */
static int64_t find_id(const struct companion *c, size_t from, int64_t value)
{
	if (c->native.kind != NATIVE_GDB)
		return c->native.kind == NATIVE_LLDB ? value : -1;
	for (size_t i = 0; i < dap_message_length(c->ids); i++) {
		if (get_member(get_pair(c, i), from) == value)
			return get_member(get_pair(c, i), 1 - from);
	}
	return -1;
}

int64_t companion_tid(const struct companion *c, int64_t id)
{
	return find_id(c, 0, id);
}

int64_t companion_id(const struct companion *c, int64_t tid)
{
	return find_id(c, 1, tid);
}

static void on_ids(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;
	const char *text = format_string(dap_message_get(response, "body", "result", NULL));
	const char *at = text ? strstr(text, "OMPDD [") : NULL;

	(void)request;
	c->n_asked_ids--;
	if (at) {
		json_object_put(c->ids);
		c->ids = json_tokener_parse(at + strlen("OMPDD "));
	}
	if (!c->n_asked_ids)
		companion_ids_came(c);
}

void companion_ask_ids(struct companion *c)
{
	struct json_object *arguments;

	if (c->native.kind != NATIVE_GDB)
		return;
	arguments = json_object_new_object();
	dap_message_put_string(arguments, "expression", COMMAND);
	dap_message_put_string(arguments, "context", "repl");
	c->n_asked_ids++;
	companion_ask(c, "evaluate", arguments, on_ids, c);
}

void companion_forget_ids(struct companion *c)
{
	json_object_put(c->ids);
	c->ids = NULL;
}
