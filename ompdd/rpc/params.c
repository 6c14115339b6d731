/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decodes parameters by tables. */
#include "rpc/params.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/literal.h"
#include "rpc/param_error.h"

static void *get_field(void *object, size_t offset)
{
	return (char *)object + offset;
}

/* Get an integer in the range of int64_t; false for any other value. */
static bool get_int(struct json_object *value, int64_t *ret)
{
	if (!json_object_is_type(value, json_type_int))
		return false;
	/* json-c returns INT64_MAX for a number above it. */
	if (json_object_get_int64(value) == INT64_MAX && json_object_get_uint64(value) > INT64_MAX)
		return false;
	*ret = json_object_get_int64(value);
	return true;
}

static struct error *decode_int(const struct param_place *p, int64_t *ret)
{
	int64_t value;

	if (!get_int(p->value, &value) || value < p->field->min || value > p->field->max)
		return param_error_mistyped(p);
	*ret = value;
	return NULL;
}

static struct error *decode_bool(const struct param_place *p, bool *ret)
{
	if (!json_object_is_type(p->value, json_type_boolean))
		return param_error_mistyped(p);
	*ret = json_object_get_boolean(p->value);
	return NULL;
}

/* Get a string; NULL for any other value. The parser has refused texts with a NUL. */
static const char *get_string(struct json_object *value)
{
	return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

static struct error *decode_text(const struct param_place *p, int64_t min, int64_t max, const char **ret)
{
	const char *text = get_string(p->value);

	if (!text || (p->field->absolute && text[0] != '/'))
		return param_error_mistyped(p);
	int64_t len = json_object_get_string_len(p->value);
	if (len < min || len > max)
		return param_error_mistyped(p);
	*ret = text;
	return NULL;
}

/* Return the index of the string in the field's names, or -1. */
static int find_name(const struct param_place *p)
{
	const char *text = get_string(p->value);

	for (int i = 0; text && p->field->names[i]; i++) {
		if (!strcmp(text, p->field->names[i]))
			return i;
	}
	return -1;
}

static struct error *decode_enum(const struct param_place *p, void *ret)
{
	int i = find_name(p);

	if (i < 0)
		return param_error_mistyped(p);
	memcpy(ret, &i, sizeof(i));
	return NULL;
}

static struct error *decode_values(const struct param_place *p, int64_t *ret)
{
	int i = find_name(p);

	if (i < 0)
		return decode_int(p, ret);
	*ret = p->field->values[i];
	return NULL;
}

static struct error *decode_hex(const struct param_place *p, uint64_t *ret)
{
	const char *text = get_string(p->value);

	if (!text || !literal_parse_hex(text, ret))
		return param_error_mistyped(p);
	return NULL;
}

static struct error *decode_wide(const struct param_place *p, int64_t min, uint64_t *ret)
{
	int64_t value;

	if (!json_object_is_type(p->value, json_type_int))
		return decode_hex(p, ret);
	if (!get_int(p->value, &value) || value < min || value > PARAM_MAX_SAFE)
		return param_error_mistyped(p);
	*ret = (uint64_t)value;
	return NULL;
}

static struct error *decode_target(const struct param_place *p, const char **ret)
{
	const char *text = get_string(p->value);

	if (!text || !literal_is_target_id(text))
		return param_error_mistyped(p);
	*ret = text;
	return NULL;
}

static struct error *decode_handle(const struct param_place *p, const char **ret)
{
	const char *text = get_string(p->value);

	if (!text || !literal_is_handle(text, p->field->handle_kind))
		return param_error_mistyped(p);
	*ret = text;
	return NULL;
}

/* Return one of the field's names, as text. */
static struct error *decode_name(const struct param_place *p, const char **ret)
{
	int i = find_name(p);

	if (i < 0)
		return param_error_mistyped(p);
	*ret = p->field->names[i];
	return NULL;
}

static struct error *decode_array(const struct param_place *p, void *object)
{
	struct error *err = NULL;

	if (!json_object_is_type(p->value, json_type_array))
		return param_error_mistyped(p);
	size_t n = json_object_array_length(p->value);
	if ((int64_t)n < p->field->min || (int64_t)n > p->field->max)
		return param_error_mistyped(p);
	const char **items = calloc(n ? n : 1, sizeof(*items));
	if (!items)
		return &error_nomem;
	for (size_t i = 0; !err && i < n; i++) {
		struct param_place item = {p->field, json_object_array_get_idx(p->value, i), (int)i};

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
	memcpy(get_field(object, p->field->offset), &items, sizeof(items));
	*(size_t *)get_field(object, p->field->n_offset) = n;
	return NULL;
}

static struct error *decode_id(const struct param_place *p, struct json_object **ret)
{
	bool is_string = json_object_is_type(p->value, json_type_string);

	if (!is_string && !json_object_is_type(p->value, json_type_int))
		return param_error_mistyped(p);
	if (is_string && json_object_get_string_len(p->value) > p->field->max)
		return param_error_mistyped(p);
	*ret = p->value;
	return NULL;
}

/* Decode environment variables; null removes a variable. */
static struct error *decode_env(const struct param_place *p, struct json_object **ret)
{
	if (!json_object_is_type(p->value, json_type_object) || json_object_object_length(p->value) > p->field->max)
		return param_error_mistyped(p);
	json_object_object_foreach(p->value, name, value)
	{
		bool is_value = !value || json_object_is_type(value, json_type_string);

		if (*name && !strchr(name, '=') && is_value)
			continue;
		return param_error_variable(p->field, name, is_value);
	}
	*ret = p->value;
	return NULL;
}

static struct error *decode_field(const struct param_place *p, void *object)
{
	void *member = get_field(object, p->field->offset);

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
	void *member = get_field(object, f->offset);

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

static struct error *check_names(struct json_object *params, const struct param *fields)
{
	json_object_object_foreach(params, name, value)
	{
		const struct param *f = fields;

		(void)value;
		while (f->name && strcmp(f->name, name))
			f++;
		if (!f->name)
			return param_error_unknown(fields, name);
	}
	return NULL;
}

struct error *params_decode(struct json_object *params, const struct param *fields, void *object)
{
	struct error *err;

	if (!json_object_is_type(params, json_type_object))
		return error_detail(error_create(ERR_INVALID_PARAMS, "params must be an object"), "pointer", "/params");
	err = check_names(params, fields);
	for (const struct param *f = fields; !err && f->name; f++) {
		struct param_place p = {f, NULL, -1};

		if (json_object_object_get_ex(params, f->name, &p.value)) {
			err = decode_field(&p, object);
			if (!err && f->has_offset)
				*(bool *)get_field(object, f->has_offset) = true;
		} else if (f->required) {
			err = param_error_missing(f);
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

		memcpy(&array, get_field(object, f->offset), sizeof(array));
		free(array);
		memset(get_field(object, f->offset), 0, sizeof(array));
		*(size_t *)get_field(object, f->n_offset) = 0;
	}
}
