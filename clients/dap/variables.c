/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Conversion of JSON values into variables. */
#include "variables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"

static const struct style plain = {.utf8 = 1, .verbose = 1};

void variables_clear(struct variables *v)
{
	for (size_t i = 0; i < v->n; i++)
		json_object_put(v->values[i]);
	free(v->values);
	*v = (struct variables){0};
}

int64_t variables_add(struct variables *v, struct json_object *value)
{
	if (v->n == VARIABLES_MAX)
		return 0;
	TEXT_GROW(v->values, v->n, v->cap);
	v->values[v->n] = json_object_get(value);
	return MESSAGE_OWN_IDS + (int64_t)v->n++;
}

static bool is_structure(struct json_object *value)
{
	return json_object_is_type(value, json_type_object) || json_object_is_type(value, json_type_array);
}

static size_t count_members(struct json_object *value)
{
	return json_object_is_type(value, json_type_object) ? (size_t)json_object_object_length(value)
							    : dap_message_length(value);
}

static void add_scope(struct variables *v, struct json_object *scopes, const char *name, struct json_object *value)
{
	int64_t reference = variables_add(v, value);
	struct json_object *scope;

	if (!reference)
		return;
	scope = json_object_new_object();
	dap_message_put_string(scope, "name", name);
	dap_message_put_int(scope, "variablesReference", reference);
	if (is_structure(value))
		dap_message_put_int(scope, "namedVariables", (int64_t)count_members(value));
	dap_message_put_bool(scope, "expensive", false);
	json_object_array_add(scopes, scope);
}

void variables_add_scope(struct variables *v, struct json_object *scopes, const char *name, struct json_object *value)
{
	if (is_structure(value) && count_members(value))
		add_scope(v, scopes, name, value);
}

/* A number represents a value that comes later: other references are always to structures. */
void variables_add_later(struct variables *v, struct json_object *scopes, const char *name, size_t what)
{
	struct json_object *number = json_object_new_int64((int64_t)what);

	add_scope(v, scopes, name, number);
	json_object_put(number);
}

bool variables_waits(const struct variables *v, int64_t reference, size_t *what_ret)
{
	int64_t index = reference - MESSAGE_OWN_IDS;

	if (index < 0 || (uint64_t)index >= v->n || !json_object_is_type(v->values[index], json_type_int))
		return false;
	*what_ret = (size_t)json_object_get_int64(v->values[index]);
	return true;
}

void variables_fill(struct variables *v, int64_t reference, struct json_object *value)
{
	struct json_object **place = &v->values[reference - MESSAGE_OWN_IDS];

	json_object_put(*place);
	*place = json_object_get(value);
}

/* A line has these two members, and JSON values of ompdd never have both. */
struct json_object *variables_line(const char *text, struct json_object **members_ret)
{
	struct json_object *line = json_object_new_object();

	dap_message_put_string(line, "text", text);
	*members_ret = json_object_new_object();
	json_object_object_add(line, "members", *members_ret);
	return line;
}

/* Return the members of a line; NULL for other values. */
static struct json_object *get_line_members(struct json_object *value)
{
	struct json_object *members = dap_message_get(value, "members", NULL);

	return dap_message_string(value, "text") && json_object_is_type(members, json_type_object) ? members : NULL;
}

/* Append a one-line description of @value. Returns whether it can be expanded. */
static bool describe_value(struct buf *t, struct json_object *value)
{
	const char *name = dap_message_string(value, "name"), *source = dap_message_string(value, "source");
	const char *message = dap_message_string(value, "message");

	if (!is_structure(value)) {
		format_value(t, &plain, value);
		return false;
	}
	if (get_line_members(value)) {
		text_add_safe(t, dap_message_string(value, "text"), 1);
		return count_members(get_line_members(value)) > 0;
	}
	if (json_object_is_type(value, json_type_array)) {
		text_printf(t, "[%zu]", count_members(value));
		return count_members(value) > 0;
	}
	if (dap_message_string(value, "rc")) {
		text_add(t, "not available");
		text_add(t, message ? ": " : "");
		text_add_safe(t, message ? message : "", 1);
		return false;
	}
	/* A control variable, or a wait id. */
	if (dap_message_string(value, "value")) {
		text_add_safe(t, dap_message_string(value, "value"), 1);
		/* The member `name` of a control variable is its own name. */
		if (dap_message_string(value, "symbol") && name) {
			text_add(t, " ");
			text_add_safe(t, name, 1);
		}
		return count_members(value) > 2;
	}
	if (name) {
		text_add_safe(t, name, 1);
	} else if (dap_message_string(value, "address")) {
		format_value(t, &plain, value);
	} else {
		text_add(t, "{…}");
	}
	if (source && !strcmp(source, "inferred"))
		text_add(t, " (inferred)");
	return count_members(value) > 0;
}

static struct json_object *create_variable(struct variables *v, const char *name, struct json_object *value)
{
	struct json_object *variable = json_object_new_object();
	struct json_object *line = get_line_members(value);
	struct buf shown = {0}, safe = {0};
	bool can_open = describe_value(&shown, value);

	text_add_safe(&safe, name, 1);
	text_add(&shown, "");
	dap_message_put_string(variable, "name", safe.data);
	dap_message_put_string(variable, "value", shown.data);
	dap_message_put_int(variable, "variablesReference", can_open ? variables_add(v, line ? line : value) : 0);
	buf_deinit(&shown);
	buf_deinit(&safe);
	return variable;
}

struct json_object *variables_list(struct variables *v, int64_t reference, int64_t start, int64_t count)
{
	int64_t index = reference - MESSAGE_OWN_IDS;

	if (index < 0 || (uint64_t)index >= v->n)
		return NULL;
	struct json_object *value = v->values[index], *list = json_object_new_array();
	size_t from = start > 0 ? (size_t)start : 0, i = 0;
	size_t to = count > 0 && count < VARIABLES_MAX_SHOWN ? from + (size_t)count : from + VARIABLES_MAX_SHOWN;

	if (json_object_is_type(value, json_type_object)) {
		json_object_object_foreach(value, key, member)
		{
			if (i >= from && i < to)
				json_object_array_add(list, create_variable(v, key, member));
			i++;
		}
		return list;
	}
	for (i = from; i < to && i < dap_message_length(value); i++) {
		char name[32];

		snprintf(name, sizeof(name), "[%zu]", i);
		json_object_array_add(list, create_variable(v, name, json_object_array_get_idx(value, i)));
	}
	return list;
}
