/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON values as text. */
#include "format.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include <json-c/json.h>

/* Nesting limit of accepted JSON: twice the depth that a daemon sends. */
#define MAX_DEPTH 64

/* Return the parser's flags. The strict mode of json-c 0.18 refuses all non-ASCII characters, so a text that has
 * some is not parsed in strict mode. */
static int get_strictness(const char *text, size_t len)
{
	bool is_ascii = true;

	for (size_t i = 0; i < len && is_ascii; i++)
		is_ascii = (unsigned char)text[i] < 0x80;
	return JSON_TOKENER_VALIDATE_UTF8 | (is_ascii || json_c_version_num() >> 8 != 18 ? JSON_TOKENER_STRICT : 0);
}

struct json_object *format_parse(const char *text, size_t len)
{
	struct json_tokener *tokener = len < INT32_MAX ? json_tokener_new_ex(MAX_DEPTH) : NULL;
	struct json_object *value;

	if (!tokener)
		return NULL;
	json_tokener_set_flags(tokener, get_strictness(text, len));
	value = json_tokener_parse_ex(tokener, text, (int)len);
	if (json_tokener_get_error(tokener) != json_tokener_success || json_tokener_get_parse_end(tokener) != len) {
		json_object_put(value);
		value = NULL;
	}
	json_tokener_free(tokener);
	return value;
}

struct json_object *format_member(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	if (!json_object_is_type(object, json_type_object))
		return NULL;
	json_object_object_get_ex(object, key, &value);
	return value;
}

const char *format_string(struct json_object *value)
{
	return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

int64_t format_int(struct json_object *value, int64_t otherwise)
{
	return json_object_is_type(value, json_type_int) ? json_object_get_int64(value) : otherwise;
}

int format_is_true(struct json_object *value)
{
	return json_object_is_type(value, json_type_boolean) && json_object_get_boolean(value);
}

const char *format_reason(struct json_object *value)
{
	const char *rc = format_string(format_member(value, "rc"));

	if (rc && !strncmp(rc, "ompd_rc_", 8))
		rc += 8;
	return rc;
}

static void format_missing(struct text *t, const struct style *style, const char *reason)
{
	text_add(t, "-");
	if (!reason || !style->verbose)
		return;
	text_add(t, " (");
	text_add_safe(t, reason, style->utf8);
	text_add(t, ")");
}

static struct json_object *find_first_member(struct json_object *value, const char *const *keys)
{
	for (; *keys; keys++) {
		struct json_object *member = format_member(value, *keys);

		if (member)
			return member;
	}
	return NULL;
}

static void format_object(struct text *t, const struct style *style, struct json_object *value)
{
	static const char *const keys[] = {"symbol", "name", "value", "address", NULL};
	struct json_object *member = find_first_member(value, keys);

	if (member && !json_object_is_type(member, json_type_object)) {
		format_value(t, style, member);
		return;
	}
	text_add_safe(t, json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE),
		      style->utf8);
}

void format_value(struct text *t, const struct style *style, struct json_object *value)
{
	const char *reason = format_reason(value);

	if (!value || reason) {
		format_missing(t, style, reason);
		return;
	}
	if (json_object_is_type(value, json_type_boolean)) {
		text_add(t, format_is_true(value) ? "yes" : "no");
		return;
	}
	if (json_object_is_type(value, json_type_object)) {
		format_object(t, style, value);
		return;
	}
	if (json_object_is_type(value, json_type_array)) {
		size_t n = json_object_array_length(value);

		for (size_t i = 0; i < n; i++) {
			text_add(t, i ? ", " : "");
			format_value(t, style, json_object_array_get_idx(value, i));
		}
		if (!n)
			text_add(t, "none");
		return;
	}
	text_add_safe(t, json_object_get_string(value), style->utf8);
}

char *format_value_string(const struct style *style, struct json_object *value)
{
	struct text t = {0};

	format_value(&t, style, value);
	return text_take(&t);
}

void format_duration(struct text *t, const struct style *style, int64_t microseconds)
{
	double us = (double)microseconds;

	if (microseconds < 10000)
		text_printf(t, "%" PRId64 " %ss", microseconds, style->utf8 ? "\302\265" : "u");
	else if (microseconds < 1000000)
		text_printf(t, "%.1f ms", us / 1e3);
	else
		text_printf(t, "%.1f s", us / 1e6);
}

void format_json(struct text *t, struct json_object *value, int pretty)
{
	int flags = JSON_C_TO_STRING_NOSLASHESCAPE;
	size_t len = 0;

	flags |= pretty ? JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED : JSON_C_TO_STRING_PLAIN;
	const char *s = json_object_to_json_string_length(value, flags, &len);
	if (!s)
		return;
	/* json-c escapes only what JSON requires, but a terminal interprets more characters. */
	text_add_json(t, s, len);
	text_add(t, "\n");
}
