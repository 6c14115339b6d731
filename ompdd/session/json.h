/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Builds JSON objects for the files of session/: every step can run out of memory. */
#ifndef OMPDD_SESSION_JSON_H
#define OMPDD_SESSION_JSON_H

#include <json-c/json.h>

#include "base/cleanup.h"
#include "base/error.h"

CLEANUP_DEFINE(json, struct json_object *, json_object_put)
#define _cleanup_json_ _cleanup_(cleanup_json)

/*
 * Add @value to @object. Returns &error_nomem if memory is out, now or when either was created. Takes @value even on
 * error.
 */
MUST_USE static inline struct error *json_add(struct json_object *object, const char *key,
					      struct json_object *value TAKES)
{
	if (object && value && !json_object_object_add(object, key, value))
		return NULL;
	json_object_put(value);
	return &error_nomem;
}

#endif
