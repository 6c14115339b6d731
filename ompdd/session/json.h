/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How the files of session/ build JSON objects: every step may find that memory is out. */
#ifndef OMPDD_SESSION_JSON_H
#define OMPDD_SESSION_JSON_H

#include <json-c/json.h>

#include "base/cleanup.h"
#include "base/error.h"

CLEANUP_DEFINE(json, struct json_object *, json_object_put)
#define _cleanup_json_ _cleanup_(cleanup_json)

/* Add @value to @object. &error_nomem when memory is out, now or when either was made; @value is taken also then. */
MUST_USE static inline struct error *json_add(struct json_object *object, const char *key,
					      struct json_object *value TAKES)
{
	if (object && value && !json_object_object_add(object, key, value))
		return NULL;
	json_object_put(value);
	return &error_nomem;
}

#endif
