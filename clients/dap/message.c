/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Access to members of messages, and creation of messages. */
#include "message.h"

#include <stdarg.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"

/* Nesting limit of variables' descriptions, which are not deep. */
#define MAX_DEPTH 64

struct json_object *dap_message_parse(const char *text, size_t len)
{
	struct json_tokener *tokener = len < INT32_MAX ? json_tokener_new_ex(MAX_DEPTH) : NULL;
	struct json_object *value;

	if (!tokener)
		return NULL;
	value = json_tokener_parse_ex(tokener, text, (int)len);
	size_t end = json_tokener_get_parse_end(tokener);
	while (end < len && strchr(" \t\r\n", text[end]))
		end++;
	if (json_tokener_get_error(tokener) != json_tokener_success || end != len ||
	    !json_object_is_type(value, json_type_object)) {
		json_object_put(value);
		value = NULL;
	}
	json_tokener_free(tokener);
	return value;
}

enum dap_message_type dap_message_type(struct json_object *message)
{
	const char *type = dap_message_string(message, "type");
	bool has_seq = json_object_is_type(json_read_member(message, "seq"), json_type_int);

	if (!type)
		return MESSAGE_BAD;
	if (!strcmp(type, "request") && has_seq && dap_message_string(message, "command"))
		return MESSAGE_REQUEST;
	if (!strcmp(type, "response") && json_object_is_type(json_read_member(message, "request_seq"), json_type_int))
		return MESSAGE_RESPONSE;
	return !strcmp(type, "event") && dap_message_string(message, "event") ? MESSAGE_EVENT : MESSAGE_BAD;
}

const char *dap_message_name(struct json_object *message)
{
	enum dap_message_type type = dap_message_type(message);

	if (type == MESSAGE_REQUEST)
		return dap_message_string(message, "command");
	return type == MESSAGE_EVENT ? dap_message_string(message, "event") : NULL;
}

struct json_object *dap_message_get(struct json_object *message, ...)
{
	va_list keys;
	const char *key;

	va_start(keys, message);
	while (message && (key = va_arg(keys, const char *)))
		message = json_read_member(message, key);
	va_end(keys);
	return message;
}

const char *dap_message_string(struct json_object *object, const char *key)
{
	return json_read_string(json_read_member(object, key));
}

int64_t dap_message_int(struct json_object *object, const char *key, int64_t otherwise)
{
	return json_read_int(json_read_member(object, key), otherwise);
}

bool dap_message_bool(struct json_object *object, const char *key)
{
	return json_read_bool(json_read_member(object, key));
}

struct json_object *dap_message_array(struct json_object *object, const char *key)
{
	struct json_object *value = json_read_member(object, key);

	return json_object_is_type(value, json_type_array) ? value : NULL;
}

size_t dap_message_length(struct json_object *array)
{
	return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}

struct json_object *dap_message_copy(struct json_object *object)
{
	struct json_object *copy = json_object_new_object();

	if (json_object_is_type(object, json_type_object)) {
		json_object_object_foreach(object, key, value)
			json_object_object_add(copy, key, json_object_get(value));
	}
	return copy;
}

struct json_object *dap_message_copy_array(struct json_object *object, const char *key)
{
	struct json_object *array = dap_message_array(object, key), *copy = json_object_new_array();

	for (size_t i = 0; i < dap_message_length(array); i++)
		json_object_array_add(copy, json_object_get(json_object_array_get_idx(array, i)));
	return copy;
}

void dap_message_put_string(struct json_object *object, const char *key, const char *value)
{
	json_object_object_add(object, key, json_object_new_string(value));
}

void dap_message_put_int(struct json_object *object, const char *key, int64_t value)
{
	json_object_object_add(object, key, json_object_new_int64(value));
}

void dap_message_put_bool(struct json_object *object, const char *key, bool value)
{
	json_object_object_add(object, key, json_object_new_boolean(value));
}

struct json_object *dap_message_request(const char *command, struct json_object *arguments)
{
	struct json_object *message = json_object_new_object();

	dap_message_put_string(message, "type", "request");
	dap_message_put_string(message, "command", command);
	if (arguments)
		json_object_object_add(message, "arguments", arguments);
	return message;
}

struct json_object *dap_message_event(const char *event, struct json_object *body)
{
	struct json_object *message = json_object_new_object();

	dap_message_put_string(message, "type", "event");
	dap_message_put_string(message, "event", event);
	if (body)
		json_object_object_add(message, "body", body);
	return message;
}

struct json_object *dap_message_stopped_body(const char *reason, const char *description, int64_t tid)
{
	struct json_object *body = json_object_new_object();

	dap_message_put_string(body, "reason", reason);
	if (description)
		dap_message_put_string(body, "description", description);
	dap_message_put_int(body, "threadId", tid);
	dap_message_put_bool(body, "allThreadsStopped", true);
	return body;
}

static struct json_object *create_answer(struct json_object *request, bool success)
{
	struct json_object *message = json_object_new_object();
	const char *command = dap_message_string(request, "command");

	dap_message_put_string(message, "type", "response");
	dap_message_put_int(message, "request_seq", dap_message_int(request, "seq", 0));
	dap_message_put_bool(message, "success", success);
	dap_message_put_string(message, "command", command ? command : "");
	return message;
}

struct json_object *dap_message_response(struct json_object *request, struct json_object *body)
{
	struct json_object *message = create_answer(request, true);

	if (body)
		json_object_object_add(message, "body", body);
	return message;
}

struct json_object *dap_message_failure(struct json_object *request, const char *text)
{
	struct json_object *message = create_answer(request, false);
	struct json_object *body = json_object_new_object(), *error = json_object_new_object();
	/* Clients that send our own requests show the result in their own place, without a message box. */
	const char *command = dap_message_string(request, "command");
	bool is_own = command && !strncmp(command, "ompdd/", strlen("ompdd/"));

	dap_message_put_string(message, "message", text);
	dap_message_put_int(error, "id", 1);
	dap_message_put_string(error, "format", text);
	dap_message_put_bool(error, "showUser", !is_own);
	json_object_object_add(body, "error", error);
	json_object_object_add(message, "body", body);
	return message;
}
