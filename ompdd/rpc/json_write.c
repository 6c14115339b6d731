/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes JSON values as text. */
#include "rpc/json_write.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* Bytes reserved at a time: few at first, because most messages are short. */
#define FIRST_ROOM 1024
#define MORE_ROOM  16384
/* The longest escape, and the longest integer with its sign. */
#define MAX_ESCAPE 6
#define MAX_DIGITS 20

/* The longest string that is reserved and written at once. */
#define MAX_SHORT 256

static const bool is_escaped[256] = {[0 ... 0x1f] = true, ['"'] = true, ['\\'] = true};

struct writer {
	struct buf *out;
	char *to, *end; /* reserved but uncommitted room */
	struct error *err;
};

static void commit_bytes(struct writer *w)
{
	if (w->to)
		buf_commit(w->out, (size_t)(w->to - buf_head(w->out)) - w->out->len);
	w->to = w->end = NULL;
}

/* Reserve @len bytes at w->to; false if memory is out. */
static bool reserve_bytes(struct writer *w, size_t len)
{
	size_t room = w->out->len < FIRST_ROOM ? FIRST_ROOM : MORE_ROOM;

	if ((size_t)(w->end - w->to) >= len)
		return true;
	commit_bytes(w);
	if (room < len)
		room = len;
	if (!w->err)
		w->err = buf_reserve(w->out, room, &w->to);
	if (w->err) {
		w->to = w->end = NULL;
		return false;
	}
	w->end = w->to + room;
	return true;
}

static void put_bytes(struct writer *w, const char *bytes, size_t len)
{
	if (!len || !reserve_bytes(w, len))
		return;
	memcpy(w->to, bytes, len);
	w->to += len;
}

static inline void put_char(struct writer *w, char c)
{
	if (w->to < w->end || reserve_bytes(w, 1))
		*w->to++ = c;
}

static void put_escape(struct writer *w, unsigned char c)
{
	static const char digits[] = "0123456789abcdef";
	static const char shorts[] = "\"\"\\\\\bb\ff\nn\rr\tt";
	char text[MAX_ESCAPE] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};

	for (size_t i = 0; i + 1 < sizeof(shorts); i += 2) {
		if ((unsigned char)shorts[i] != c)
			continue;
		text[1] = shorts[i + 1];
		put_bytes(w, text, 2);
		return;
	}
	put_bytes(w, text, sizeof(text));
}

static void put_string(struct writer *w, const char *s, size_t len)
{
	size_t start = 0;

	/* Most strings are short, and need no escapes. */
	if (len <= MAX_SHORT && reserve_bytes(w, len + 2)) {
		char *to = w->to;
		size_t i = 0;

		*to++ = '"';
		while (i < len && !is_escaped[(unsigned char)s[i]])
			*to++ = s[i++];
		if (i == len) {
			*to++ = '"';
			w->to = to;
			return;
		}
	}
	put_char(w, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (!is_escaped[c])
			continue;
		put_bytes(w, s + start, i - start);
		put_escape(w, c);
		start = i + 1;
	}
	put_bytes(w, s + start, len - start);
	put_char(w, '"');
}

static void put_int(struct writer *w, struct json_object *value)
{
	int64_t number = json_object_get_int64(value);
	uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
	char text[MAX_DIGITS + 1], *p = text + sizeof(text);

	if (number == INT64_MAX) /* or a larger number */
		rest = json_object_get_uint64(value);
	do {
		*--p = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (number < 0)
		*--p = '-';
	put_bytes(w, p, (size_t)(text + sizeof(text) - p));
}

/* The recursion is bounded by the depth of our answers, and by the depth limit of message_text.c. */
static void put_value(struct writer *w, struct json_object *value)
{
	const char *text;
	bool first = true;
	size_t len;

	switch (json_object_get_type(value)) {
	case json_type_null:
		put_bytes(w, "null", 4);
		break;
	case json_type_boolean:
		if (json_object_get_boolean(value))
			put_bytes(w, "true", 4);
		else
			put_bytes(w, "false", 5);
		break;
	case json_type_int:
		put_int(w, value);
		break;
	case json_type_string:
		put_string(w, json_object_get_string(value), (size_t)json_object_get_string_len(value));
		break;
	case json_type_array:
		put_char(w, '[');
		len = json_object_array_length(value);
		for (size_t i = 0; i < len && !w->err; i++) {
			if (i)
				put_char(w, ',');
			put_value(w, json_object_array_get_idx(value, i));
		}
		put_char(w, ']');
		break;
	case json_type_object:
		text = json_object_get_userdata(value);
		if (text) {
			put_bytes(w, text, strlen(text));
			break;
		}
		put_char(w, '{');
		json_object_object_foreach(value, key, member)
		{
			if (!first)
				put_char(w, ',');
			first = false;
			put_string(w, key, strlen(key));
			put_char(w, ':');
			put_value(w, member);
		}
		put_char(w, '}');
		break;
	case json_type_double:
		text = json_object_to_json_string_length(value, JSON_C_TO_STRING_PLAIN, &len);
		if (text)
			put_bytes(w, text, len);
		else
			w->err = &error_nomem;
		break;
	}
}

struct error *json_write(struct buf *out, struct json_object *value)
{
	struct writer w = {.out = out};

	put_value(&w, value);
	commit_bytes(&w);
	return w.err;
}

struct json_object *json_text(const char *text)
{
	if (utf8_is_valid(text, strlen(text)))
		return json_object_new_string(text);

	char *escaped = utf8_escape(text);
	struct json_object *value = escaped ? json_object_new_string(escaped) : NULL;

	free(escaped);
	return value;
}

void json_write_freeze(struct json_object *object)
{
	struct buf text = {0};
	struct error *err = json_write(&text, object);

	if (!err && text.start == 0) {
		json_object_set_userdata(object, text.data, json_object_free_userdata);
		return;
	}
	error_destroy(err);
	buf_deinit(&text);
}
