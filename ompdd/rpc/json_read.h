/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads members of the protocol's JSON values. A value of another type than expected counts as missing. The values are
 * borrowed.
 */
#ifndef OMPDD_RPC_JSON_READ_H
#define OMPDD_RPC_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

/* Return a member of an object; NULL if @object is not an object or the member is missing or null. */
struct json_object *json_read_member(struct json_object *object, const char *key);
/* Return the string, or NULL if @value is not a string. */
const char *json_read_string(struct json_object *value);
/* Return the string member @key of @object, or "". */
const char *json_read_text(struct json_object *object, const char *key);
/* Return the integer, or @otherwise if @value is not one. */
int64_t json_read_int(struct json_object *value, int64_t otherwise);
bool json_read_bool(struct json_object *value);
/* Return the number of items; 0 if @value is not an array. */
size_t json_read_length(struct json_object *value);

/* Return the reason of an unavailable field ({"rc":"ompd_rc_unavailable"} gives "unavailable"), otherwise NULL. */
const char *json_read_reason(struct json_object *value);

#endif
