/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON values as text. */
#include "format.h"

#include <json-c/json.h>

#include "view/phrase.h"
#include "view/value.h"

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
