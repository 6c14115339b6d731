/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From the protocol's JSON values to text: members, reasons of missing fields, addresses, JSON
 * output. */
#ifndef OMPDD_CLI_FORMAT_H
#define OMPDD_CLI_FORMAT_H

#include <stdint.h>

#include "text.h"

struct json_object;

/* Parse one JSON text, strictly; NULL when it is none. The caller owns the value. */
struct json_object *format_parse(const char *text, size_t len);

/* A member of an object; NULL when @object is none or has no such member, or null. */
struct json_object *format_member(struct json_object *object, const char *key);
/* The string, or NULL when it is no string. Borrowed. */
const char *format_string(struct json_object *value);
/* The integer, or @otherwise when it is none. */
int64_t format_int(struct json_object *value, int64_t otherwise);
int format_is_true(struct json_object *value);

/* The reason of a field that could not be had ({"rc":"ompd_rc_unavailable"} gives "unavailable"),
 * else NULL. */
const char *format_reason(struct json_object *value);

/*
 * Append a value as people read it: strings and numbers as they are, true and false as yes and no,
 * {"address","symbol"} as the symbol, a missing one as "-" (with its reason when verbose).
 */
void format_value(struct text *t, const struct style *style, struct json_object *value);
/* The same as a new string, freed by the caller. */
char *format_value_string(const struct style *style, struct json_object *value);

/* An address with its symbol, "0x55d0 <lock+8>"; "-" when it is missing. */
char *format_address(const struct style *style, struct json_object *value);

/* "212 µs", "1.5 ms", "2.1 s". */
void format_duration(struct text *t, const struct style *style, int64_t microseconds);

/* Append @value as one line of JSON (or indented, @pretty) with a newline; no raw control
 * characters. */
void format_json(struct text *t, struct json_object *value, int pretty);

#endif
