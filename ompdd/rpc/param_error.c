/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Describes in words the value that a wrong parameter should have had. */
#include "rpc/param_error.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "rpc/suggest.h"

#define MAX_POINTER  160
#define MAX_EXPECTED 320
#define MAX_SHOWN    48 /* bytes of a wrong value in a message */

/* Write the value in the client's own form, cut to a few bytes. */
static void show_value(struct json_object *value, char *out, size_t size)
{
	if (json_object_is_type(value, json_type_object)) {
		snprintf(out, size, "an object");
	} else if (json_object_is_type(value, json_type_array)) {
		snprintf(out, size, "an array of %zu", json_object_array_length(value));
	} else {
		const char *text =
			json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
		size_t len = text ? strlen(text) : 0;
		size_t shown = len > MAX_SHOWN ? MAX_SHOWN : len;

		if (shown < len)
			shown = utf8_valid_length(text, shown);
		snprintf(out, size, "%.*s%s", (int)shown, text ? text : "?", shown < len ? "..." : "");
	}
}

/* Append to a bounded string. */
static size_t append_text(char *out, size_t size, size_t at, const char *text)
{
	int n = snprintf(out + at, size - at, "%s", text);

	return n < 0 || (size_t)n >= size - at ? size - 1 : at + (size_t)n;
}

static void list_names(const struct param *f, char *out, size_t size)
{
	size_t at = append_text(out, size, 0, "one of ");

	for (int i = 0; f->names[i]; i++) {
		at = append_text(out, size, at, i ? ", \"" : "\"");
		at = append_text(out, size, at, f->names[i]);
		at = append_text(out, size, at, "\"");
	}
	if (f->kind == PARAM_VALUES && f->min <= f->max)
		snprintf(out + at, size - at, ", or an integer from %" PRId64 " to %" PRId64, f->min, f->max);
}

/* Describe the valid values of this field in words. */
static void describe_values(const struct param *f, bool in_array, char *out, size_t size)
{
	enum param_kind kind = in_array ? f->item_kind : f->kind;

	switch (kind) {
	case PARAM_INT:
		if (f->min == INT64_MIN && f->max == INT64_MAX)
			snprintf(out, size, "an integer");
		else
			snprintf(out, size, "an integer from %" PRId64 " to %" PRId64, f->min, f->max);
		break;
	case PARAM_BOOL:
		snprintf(out, size, "true or false");
		break;
	case PARAM_STRING:
		snprintf(out, size, "%s of %" PRId64 " to %" PRId64 " bytes",
			 f->absolute ? "an absolute path" : "a string", in_array ? f->item_min : f->min,
			 in_array ? f->item_max : f->max);
		break;
	case PARAM_ENUM:
	case PARAM_VALUES:
		list_names(f, out, size);
		break;
	case PARAM_HEX:
		snprintf(out, size, "a hex string such as \"0x7f00\" of at most 16 digits");
		break;
	case PARAM_WORD:
		snprintf(out, size, "an integer within 2^53, or a hex string such as \"0x7f00\"");
		break;
	case PARAM_NUMBER:
		snprintf(out, size, "a non-negative integer up to 2^53, or a hex string such as \"0x7f00\"");
		break;
	case PARAM_TARGET:
		snprintf(out, size, "a target id such as \"t1\"");
		break;
	case PARAM_HANDLE:
		snprintf(out, size, "%s handle such as \"t1:e1:%s:2\"",
			 !f->handle_kind		  ? "a"
			 : !strcmp(f->handle_kind, "as")  ? "an address space"
			 : !strcmp(f->handle_kind, "thr") ? "a thread"
			 : !strcmp(f->handle_kind, "par") ? "a parallel"
							  : "a task",
			 f->handle_kind ? f->handle_kind : "par");
		break;
	case PARAM_ARRAY:
		snprintf(out, size, "an array of %" PRId64 " to %" PRId64 " %s", f->min, f->max,
			 f->item_kind == PARAM_HANDLE	? "handles"
			 : f->item_kind == PARAM_TARGET ? "target ids"
			 : f->absolute			? "absolute paths"
							: "strings");
		break;
	case PARAM_ID:
		snprintf(out, size, "an integer, or a string of at most %" PRId64 " bytes", f->max);
		break;
	case PARAM_ENV:
		snprintf(out, size, "an object of at most %" PRId64 " variables, each a string or null", f->max);
		break;
	}
}

struct error *param_error_mistyped(const struct param_place *p)
{
	char pointer[MAX_POINTER], expected[MAX_EXPECTED], got[MAX_SHOWN + 16];

	if (p->index < 0)
		snprintf(pointer, sizeof(pointer), "/params/%s", p->field->name);
	else
		snprintf(pointer, sizeof(pointer), "/params/%s/%d", p->field->name, p->index);
	describe_values(p->field, p->index >= 0, expected, sizeof(expected));
	show_value(p->value, got, sizeof(got));
	struct error *err = error_create(ERR_INVALID_PARAMS, "%s must be %s, not %s", pointer, expected, got);
	err = error_detail(err, "pointer", "%s", pointer);
	err = error_detail(err, "expected", "%s", expected);
	return error_detail(err, "got", "%s", got);
}

/* Escape the member's name for a JSON pointer (RFC 6901), cut to a sane length. */
static void escape_pointer(const char *name, char *out, size_t size)
{
	size_t n = 0;

	for (; *name && n + 3 < size; name++) {
		if (*name == '~' || *name == '/') {
			out[n++] = '~';
			out[n++] = *name == '~' ? '0' : '1';
		} else {
			out[n++] = *name;
		}
	}
	out[utf8_valid_length(out, n)] = '\0';
}

struct error *param_error_missing(const struct param *f)
{
	char expected[MAX_EXPECTED];

	describe_values(f, false, expected, sizeof(expected));
	struct error *err = error_create(ERR_INVALID_PARAMS, "/params/%s is missing: %s", f->name, expected);
	err = error_detail(err, "pointer", "/params/%s", f->name);
	err = error_detail(err, "expected", "%s", expected);
	return error_detail(err, "got", "nothing");
}

struct error *param_error_unknown(const struct param *fields, const char *name)
{
	char escaped[SUGGEST_MAX_NAME + 4];
	const char *best = NULL;

	escape_pointer(name, escaped, sizeof(escaped));
	struct error *err = error_create(ERR_INVALID_PARAMS,
					 "/params/%s is not a parameter of this "
					 "method",
					 escaped);
	for (const struct param *f = fields; f->name; f++)
		suggest_consider(name, f->name, &best);
	if (best)
		err = error_hint(err, "did you mean \"%s\"?", best);
	err = error_detail(err, "pointer", "/params/%s", escaped);
	if (best)
		err = error_detail(err, "expected", "\"%s\"", best);
	else
		err = error_detail(err, "expected", "no such member");
	return error_detail(err, "got", "an unknown member");
}

struct error *param_error_variable(const struct param *field, const char *name, bool is_value)
{
	char escaped[SUGGEST_MAX_NAME + 4];

	escape_pointer(name, escaped, sizeof(escaped));
	struct error *err = error_create(ERR_INVALID_PARAMS, "/params/%s/%s %s", field->name, escaped,
					 is_value ? "is not a name of a variable" : "must be a string, or null");
	err = error_detail(err, "pointer", "/params/%s/%s", field->name, escaped);
	return error_detail(err, "expected", "%s",
			    is_value ? "a name that is not empty and without '='" : "a string, or null");
}
