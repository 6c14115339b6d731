/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON values as text. */
#include "format.h"

#include <stdbool.h>

#include <json-c/json.h>

#include "view/phrase.h"
#include "view/value.h"

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

/* Append a text of ompdd/view, and free it. */
static void add_text(struct buf *t, const struct style *style, struct buf *text)
{
	text_add_safe(t, phrase_text(text), style->utf8);
	buf_deinit(text);
}

void format_value(struct buf *t, const struct style *style, struct json_object *value)
{
	struct buf text = {0};

	value_add(&text, value, style->verbose);
	add_text(t, style, &text);
}

char *format_value_string(const struct style *style, struct json_object *value)
{
	struct buf t = {0};

	format_value(&t, style, value);
	return text_take(&t);
}

void format_duration(struct buf *t, const struct style *style, int64_t microseconds)
{
	struct buf text = {0};

	value_add_duration(&text, microseconds);
	add_text(t, style, &text);
}

void format_json(struct buf *t, struct json_object *value, int pretty)
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
