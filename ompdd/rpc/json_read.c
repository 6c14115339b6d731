/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Typed access to JSON values. */
#include "rpc/json_read.h"

#include <string.h>

#include <json-c/json.h>

struct json_object *json_read_member(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	if (!json_object_is_type(object, json_type_object))
		return NULL;
	json_object_object_get_ex(object, key, &value);
	return value;
}

const char *json_read_string(struct json_object *value)
{
	return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

const char *json_read_text(struct json_object *object, const char *key)
{
	const char *text = json_read_string(json_read_member(object, key));

	return text ? text : "";
}

int64_t json_read_int(struct json_object *value, int64_t otherwise)
{
	return json_object_is_type(value, json_type_int) ? json_object_get_int64(value) : otherwise;
}

bool json_read_bool(struct json_object *value)
{
	return json_object_is_type(value, json_type_boolean) && json_object_get_boolean(value);
}

size_t json_read_length(struct json_object *value)
{
	return json_object_is_type(value, json_type_array) ? json_object_array_length(value) : 0;
}

const char *json_read_reason(struct json_object *value)
{
	const char *rc = json_read_string(json_read_member(value, "rc"));

	if (rc && !strncmp(rc, "ompd_rc_", 8))
		rc += 8;
	return rc;
}
