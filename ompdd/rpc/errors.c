/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts errors to the error objects of the protocol. */
#include "rpc/errors.h"
#include "rpc/json_write.h"

#include <json-c/json.h>
#include <stdbool.h>

/* Add @text as a JSON string, converted to valid UTF-8; false if memory is out. */
static bool add_text(struct json_object *object, const char *key, const char *text)
{
	struct json_object *value = json_text(text);

	if (!value)
		return false;
	if (json_object_object_add(object, key, value) < 0) {
		json_object_put(value);
		return false;
	}
	return true;
}

static bool add_int(struct json_object *object, const char *key, int number)
{
	struct json_object *value = json_object_new_int(number);

	if (!value || json_object_object_add(object, key, value) < 0) {
		json_object_put(value);
		return false;
	}
	return true;
}

static bool fill_data(struct json_object *data, const struct error *err)
{
	if (!add_text(data, "name", error_name(err)) || !add_text(data, "hint", error_hint_text(err)))
		return false;
	if (err->code == ERR_OMPD && !add_int(data, "rc", err->ompd_rc))
		return false;
	for (int i = 0; i < err->n_details; i++) {
		if (!add_text(data, err->details[i].key, err->details[i].value))
			return false;
	}
	return true;
}

struct json_object *errors_to_json(const struct error *err)
{
	struct json_object *object = json_object_new_object();
	struct json_object *data = json_object_new_object();

	if (object && data && add_int(object, "code", error_number(err)) && add_text(object, "message", err->message) &&
	    fill_data(data, err) && json_object_object_add(object, "data", data) == 0)
		return object;
	json_object_put(object);
	json_object_put(data);
	return NULL;
}
