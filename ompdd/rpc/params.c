/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Table-driven decoding of parameters; every error names the JSON pointer. */
#include "rpc/params.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/suggest.h"

#define MAX_POINTER  160
#define MAX_EXPECTED 320
#define MAX_SHOWN    48 /* bytes of a wrong value that are shown */

/* What is being decoded: the value and its place. */
struct place {
	const struct param *field;
	struct json_object *value;
	int index; /* in an array; -1: not in one */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Skip a decimal of at most @max_digits without leading zeros; NULL when there is none. */
static const char *skip_decimal(const char *p, int max_digits)
{
	int n = 0;

	while (is_digit(p[n]) && n <= max_digits)
		n++;
	if (n == 0 || n > max_digits || (n > 1 && p[0] == '0'))
		return NULL;
	return p + n;
}

static const char *skip_target_id(const char *p)
{
	if (p[0] != 't' || p[1] == '0')
		return NULL;
	return skip_decimal(p + 1, 9);
}

bool params_is_target_id(const char *text)
{
	const char *end = skip_target_id(text);

	return end && *end == '\0';
}

static const char *skip_kind(const char *p, const char *kind)
{
	static const char *const kinds[] = {"as", "thr", "par", "task"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t n = strlen(kinds[i]);

		if (!strncmp(p, kinds[i], n) && p[n] == ':')
			return !kind || !strcmp(kind, kinds[i]) ? p + n + 1 : NULL;
	}
	return NULL;
}

bool params_is_handle(const char *text, const char *kind)
{
	const char *p = skip_target_id(text);

	if (!p || p[0] != ':' || p[1] != 'e')
		return false;
	p = skip_decimal(p + 2, 18);
	if (!p || *p != ':')
		return false;
	p = skip_kind(p + 1, kind);
	p = p ? skip_decimal(p, 18) : NULL;
	return p && *p == '\0';
}

bool params_parse_hex(const char *text, uint64_t *ret)
{
	uint64_t value = 0;
	int n = 0;

	if (text[0] != '0' || text[1] != 'x')
		return false;
	for (text += 2; *text; text++, n++) {
		char c = *text;

		if (n == 16)
			return false;
		if (is_digit(c))
			value = value << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (uint64_t)(c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			value = value << 4 | (uint64_t)(c - 'A' + 10);
		else
			return false;
	}
	if (n == 0)
		return false;
	*ret = value;
	return true;
}

/* The value as a client would recognise it, cut to a few bytes. */
static void show_value(struct json_object *value, char *out, size_t size)
{
	if (json_object_is_type(value, json_type_object)) {
		snprintf(out, size, "an object");
	} else if (json_object_is_type(value, json_type_array)) {
		snprintf(out, size, "an array of %zu", json_object_array_length(value));
	} else {
		const char *text = json_object_to_json_string_ext(
		    value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
		size_t len = text ? strlen(text) : 0;
		size_t shown = len > MAX_SHOWN ? MAX_SHOWN : len;

		/* Not in the middle of a UTF-8 sequence. */
		while (shown < len && shown > 0 && ((unsigned char)text[shown] & 0xc0) == 0x80)
			shown--;
		snprintf(out, size, "%.*s%s", (int)shown, text ? text : "?",
			 shown < len ? "..." : "");
	}
}

/* Append to a bounded string. */
static size_t put(char *out, size_t size, size_t at, const char *text)
{
	int n = snprintf(out + at, size - at, "%s", text);

	return n < 0 || (size_t)n >= size - at ? size - 1 : at + (size_t)n;
}

static void list_names(const struct param *f, char *out, size_t size)
{
	size_t at = put(out, size, 0, "one of ");

	for (int i = 0; f->names[i]; i++) {
		at = put(out, size, at, i ? ", \"" : "\"");
		at = put(out, size, at, f->names[i]);
		at = put(out, size, at, "\"");
	}
	if (f->kind == PARAM_VALUES && f->min <= f->max)
		snprintf(out + at, size - at, ", or an integer from %" PRId64 " to %" PRId64,
			 f->min, f->max);
}

/* What this field must be, in words. */
static void describe(const struct param *f, bool in_array, char *out, size_t size)
{
	enum param_kind kind = in_array ? f->item_kind : f->kind;

	switch (kind) {
	case PARAM_INT:
		if (f->min == INT64_MIN && f->max == INT64_MAX)
			snprintf(out, size, "an integer");
		else
			snprintf(out, size, "an integer from %" PRId64 " to %" PRId64, f->min,
				 f->max);
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
		snprintf(out, size,
			 "a non-negative integer up to 2^53, or a hex string such as \"0x7f00\"");
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

static struct error *mistyped(const struct place *p)
{
	char pointer[MAX_POINTER], expected[MAX_EXPECTED], got[MAX_SHOWN + 16];

	if (p->index < 0)
		snprintf(pointer, sizeof(pointer), "/params/%s", p->field->name);
	else
		snprintf(pointer, sizeof(pointer), "/params/%s/%d", p->field->name, p->index);
	describe(p->field, p->index >= 0, expected, sizeof(expected));
	show_value(p->value, got, sizeof(got));
	struct error *err =
	    error_create(ERR_INVALID_PARAMS, "%s must be %s, not %s", pointer, expected, got);
	err = error_detail(err, "pointer", "%s", pointer);
	err = error_detail(err, "expected", "%s", expected);
	return error_detail(err, "got", "%s", got);
}

/* The member's name as part of a JSON pointer (RFC 6901), cut to a sane length. */
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
	/* Not in the middle of a UTF-8 sequence. */
	if (((unsigned char)*name & 0xc0) == 0x80) {
		while (n && ((unsigned char)out[n - 1] & 0xc0) == 0x80)
			n--;
		n -= n > 0;
	}
	out[n] = '\0';
}

static void *at(void *object, size_t offset)
{
	return (char *)object + offset;
}

/* An integer of int64_t range; false for anything else. */
static bool get_int(struct json_object *value, int64_t *ret)
{
	if (!json_object_is_type(value, json_type_int))
		return false;
	/* json-c saturates what it reads as int64. */
	if (json_object_get_int64(value) == INT64_MAX && json_object_get_uint64(value) > INT64_MAX)
		return false;
	*ret = json_object_get_int64(value);
	return true;
}

static struct error *decode_int(const struct place *p, int64_t *ret)
{
	int64_t value;

	if (!get_int(p->value, &value) || value < p->field->min || value > p->field->max)
		return mistyped(p);
	*ret = value;
	return NULL;
}

static struct error *decode_bool(const struct place *p, bool *ret)
{
	if (!json_object_is_type(p->value, json_type_boolean))
		return mistyped(p);
	*ret = json_object_get_boolean(p->value);
	return NULL;
}

/* The string of this value; NULL when it is none. Texts with a NUL were refused by the parser. */
static const char *get_string(struct json_object *value)
{
	return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

static struct error *decode_text(const struct place *p, int64_t min, int64_t max, const char **ret)
{
	const char *text = get_string(p->value);

	if (!text || (p->field->absolute && text[0] != '/'))
		return mistyped(p);
	int64_t len = json_object_get_string_len(p->value);
	if (len < min || len > max)
		return mistyped(p);
	*ret = text;
	return NULL;
}

/* Index of the string in the field's names, or -1. */
static int find_name(const struct place *p)
{
	const char *text = get_string(p->value);

	for (int i = 0; text && p->field->names[i]; i++) {
		if (!strcmp(text, p->field->names[i]))
			return i;
	}
	return -1;
}

static struct error *decode_enum(const struct place *p, void *ret)
{
	int i = find_name(p);

	if (i < 0)
		return mistyped(p);
	memcpy(ret, &i, sizeof(i));
	return NULL;
}

static struct error *decode_values(const struct place *p, int64_t *ret)
{
	int i = find_name(p);

	if (i < 0)
		return decode_int(p, ret);
	*ret = p->field->values[i];
	return NULL;
}

static struct error *decode_hex(const struct place *p, uint64_t *ret)
{
	const char *text = get_string(p->value);

	if (!text || !params_parse_hex(text, ret))
		return mistyped(p);
	return NULL;
}

static struct error *decode_wide(const struct place *p, int64_t min, uint64_t *ret)
{
	int64_t value;

	if (!json_object_is_type(p->value, json_type_int))
		return decode_hex(p, ret);
	if (!get_int(p->value, &value) || value < min || value > PARAM_MAX_SAFE)
		return mistyped(p);
	*ret = (uint64_t)value;
	return NULL;
}

static struct error *decode_target(const struct place *p, const char **ret)
{
	const char *text = get_string(p->value);

	if (!text || !params_is_target_id(text))
		return mistyped(p);
	*ret = text;
	return NULL;
}

static struct error *decode_handle(const struct place *p, const char **ret)
{
	const char *text = get_string(p->value);

	if (!text || !params_is_handle(text, p->field->handle_kind))
		return mistyped(p);
	*ret = text;
	return NULL;
}

/* One of the field's names, as the text that it is. */
static struct error *decode_name(const struct place *p, const char **ret)
{
	const char *text = get_string(p->value);

	for (int i = 0; text && p->field->names[i]; i++) {
		if (!strcmp(p->field->names[i], text)) {
			*ret = text;
			return NULL;
		}
	}
	return mistyped(p);
}

static struct error *decode_array(const struct place *p, void *object)
{
	struct error *err = NULL;

	if (!json_object_is_type(p->value, json_type_array))
		return mistyped(p);
	size_t n = json_object_array_length(p->value);
	if ((int64_t)n < p->field->min || (int64_t)n > p->field->max)
		return mistyped(p);
	const char **items = calloc(n ? n : 1, sizeof(*items));
	if (!items)
		return &error_nomem;
	for (size_t i = 0; !err && i < n; i++) {
		struct place item = {p->field, json_object_array_get_idx(p->value, i), (int)i};

		if (p->field->item_kind == PARAM_HANDLE)
			err = decode_handle(&item, &items[i]);
		else if (p->field->item_kind == PARAM_TARGET)
			err = decode_target(&item, &items[i]);
		else if (p->field->item_kind == PARAM_ENUM)
			err = decode_name(&item, &items[i]);
		else
			err = decode_text(&item, p->field->item_min, p->field->item_max, &items[i]);
	}
	if (err) {
		free(items);
		return err;
	}
	memcpy(at(object, p->field->offset), &items, sizeof(items));
	*(size_t *)at(object, p->field->n_offset) = n;
	return NULL;
}

static struct error *decode_id(const struct place *p, struct json_object **ret)
{
	bool is_string = json_object_is_type(p->value, json_type_string);

	if (!is_string && !json_object_is_type(p->value, json_type_int))
		return mistyped(p);
	if (is_string && json_object_get_string_len(p->value) > p->field->max)
		return mistyped(p);
	*ret = p->value;
	return NULL;
}

/* Environment variables; null takes one away. */
static struct error *decode_env(const struct place *p, struct json_object **ret)
{
	char escaped[SUGGEST_MAX_NAME + 4];

	if (!json_object_is_type(p->value, json_type_object) ||
	    json_object_object_length(p->value) > p->field->max)
		return mistyped(p);
	json_object_object_foreach(p->value, name, value)
	{
		bool is_value = !value || json_object_is_type(value, json_type_string);

		if (*name && !strchr(name, '=') && is_value)
			continue;
		escape_pointer(name, escaped, sizeof(escaped));
		struct error *err = error_create(ERR_INVALID_PARAMS, "/params/%s/%s %s", p->field->name, escaped,
						 is_value ? "is no name of a variable"
							  : "must be a string, or null");
		err = error_detail(err, "pointer", "/params/%s/%s", p->field->name, escaped);
		return error_detail(err, "expected", "%s",
				    is_value ? "a name that is not empty and without '='" : "a string, or null");
	}
	*ret = p->value;
	return NULL;
}

static struct error *decode_field(const struct place *p, void *object)
{
	void *member = at(object, p->field->offset);

	switch (p->field->kind) {
	case PARAM_INT:
		return decode_int(p, member);
	case PARAM_BOOL:
		return decode_bool(p, member);
	case PARAM_STRING:
		return decode_text(p, p->field->min, p->field->max, member);
	case PARAM_ENUM:
		return decode_enum(p, member);
	case PARAM_VALUES:
		return decode_values(p, member);
	case PARAM_HEX:
		return decode_hex(p, member);
	case PARAM_WORD:
		return decode_wide(p, -PARAM_MAX_SAFE, member);
	case PARAM_NUMBER:
		return decode_wide(p, 0, member);
	case PARAM_TARGET:
		return decode_target(p, member);
	case PARAM_HANDLE:
		return decode_handle(p, member);
	case PARAM_ARRAY:
		return decode_array(p, object);
	case PARAM_ID:
		return decode_id(p, member);
	case PARAM_ENV:
		return decode_env(p, member);
	}
	return error_create(ERR_INTERNAL_ERROR, "unknown kind of parameter");
}

static void set_default(const struct param *f, void *object)
{
	void *member = at(object, f->offset);

	switch (f->kind) {
	case PARAM_INT:
	case PARAM_VALUES:
	case PARAM_WORD:
	case PARAM_HEX:
	case PARAM_NUMBER:
		*(int64_t *)member = f->default_value;
		break;
	case PARAM_BOOL:
		*(bool *)member = f->default_value != 0;
		break;
	case PARAM_ENUM:
		memcpy(member, &(int){(int)f->default_value}, sizeof(int));
		break;
	case PARAM_STRING:
		*(const char **)member = f->default_string;
		break;
	case PARAM_TARGET:
	case PARAM_HANDLE:
	case PARAM_ARRAY:
	case PARAM_ID:
	case PARAM_ENV:
		break;
	}
}

static struct error *missing(const struct param *f)
{
	char expected[MAX_EXPECTED];

	describe(f, false, expected, sizeof(expected));
	struct error *err =
	    error_create(ERR_INVALID_PARAMS, "/params/%s is missing: %s", f->name, expected);
	err = error_detail(err, "pointer", "/params/%s", f->name);
	err = error_detail(err, "expected", "%s", expected);
	return error_detail(err, "got", "nothing");
}

static struct error *unknown(const struct param *fields, const char *name)
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

static struct error *check_names(struct json_object *params, const struct param *fields)
{
	json_object_object_foreach(params, name, value)
	{
		const struct param *f = fields;

		(void)value;
		while (f->name && strcmp(f->name, name))
			f++;
		if (!f->name)
			return unknown(fields, name);
	}
	return NULL;
}

struct error *params_decode(struct json_object *params, const struct param *fields, void *object)
{
	struct error *err;

	if (!json_object_is_type(params, json_type_object))
		return error_detail(error_create(ERR_INVALID_PARAMS, "params must be an object"),
				    "pointer", "/params");
	err = check_names(params, fields);
	for (const struct param *f = fields; !err && f->name; f++) {
		struct place p = {f, NULL, -1};

		if (json_object_object_get_ex(params, f->name, &p.value)) {
			err = decode_field(&p, object);
			if (!err && f->has_offset)
				*(bool *)at(object, f->has_offset) = true;
		} else if (f->required) {
			err = missing(f);
		} else {
			set_default(f, object);
		}
	}
	if (err)
		params_deinit(fields, object);
	return err;
}

void params_deinit(const struct param *fields, void *object)
{
	for (const struct param *f = fields; f->name; f++) {
		if (f->kind != PARAM_ARRAY)
			continue;
		void *array;

		memcpy(&array, at(object, f->offset), sizeof(array));
		free(array);
		memset(at(object, f->offset), 0, sizeof(array));
		*(size_t *)at(object, f->n_offset) = 0;
	}
}
