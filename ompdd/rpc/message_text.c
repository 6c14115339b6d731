/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Strict JSON parsing: json_grammar validates the text, json-c builds the values. */
#include "rpc/message_text.h"

#include <json-c/json.h>
#include <limits.h>
#include <string.h>

#include "base/utf8.h"
#include "rpc/json_grammar.h"
#include "rpc/message.h"

/* The tokener of a text up to this length is small enough to be kept for the next text. */
#define KEEP_TOKENER 4096

/* Count the members of all objects in @value; the parser bounds the depth. */
static size_t count_members(struct json_object *value)
{
	size_t n = 0;

	if (json_object_is_type(value, json_type_object)) {
		n = (size_t)json_object_object_length(value);
		json_object_object_foreach(value, key, member)
		{
			(void)key;
			n += count_members(member);
		}
	} else if (json_object_is_type(value, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(value); i++)
			n += count_members(json_object_array_get_idx(value, i));
	}
	return n;
}

/* Reused, because creating a tokener costs as much as parsing a short text. Both programs parse in one thread only. */
static struct json_tokener *spare;

static struct json_tokener *tokener_take(void)
{
	struct json_tokener *tok = spare;

	spare = NULL;
	return tok ? tok : json_tokener_new_ex(MESSAGE_MAX_DEPTH);
}

static void tokener_give_back(struct json_tokener *tok, size_t len)
{
	if (spare || len > KEEP_TOKENER) {
		json_tokener_free(tok);
		return;
	}
	json_tokener_reset(tok);
	spare = tok;
}

static struct error *parse_text(const char *text, size_t len, struct json_object **ret)
{
	struct json_tokener *tok = tokener_take();
	struct error *err = NULL;

	if (!tok)
		return &error_nomem;
	struct json_object *value = json_tokener_parse_ex(tok, text, (int)len);
	size_t end = json_tokener_get_parse_end(tok);
	/* A number at the top level ends only with the text. */
	if (json_tokener_get_error(tok) == json_tokener_continue)
		value = json_tokener_parse_ex(tok, "", 1);
	if (json_tokener_get_error(tok) != json_tokener_success) {
		json_object_put(value);
		err = json_bad(end, "syntax", json_tokener_error_desc(json_tokener_get_error(tok)));
	} else if (end < len) {
		json_object_put(value);
		err = json_bad(end, "syntax", "text after the value");
	} else {
		*ret = value;
	}
	tokener_give_back(tok, len);
	return err;
}

struct error *message_text_parse_checked(const char *text, size_t len, struct json_object **ret)
{
	if (len > INT_MAX - 1)
		return error_create(ERR_LIMIT_EXCEEDED, "the message is too long");
	return parse_text(text, len, ret);
}

struct error *message_text_parse(const char *text, size_t len, struct json_member *member, struct json_object **ret)
{
	struct json_object *value = NULL;

	while (len > 0 && json_is_space(text[len - 1]))
		len--;
	if (len == 0)
		return json_bad(0, "syntax", "not a JSON value");
	if (len > INT_MAX - 1)
		return error_create(ERR_LIMIT_EXCEEDED, "the message is too long");
	if (memchr(text, '\0', len))
		return json_bad((size_t)((const char *)memchr(text, '\0', len) - text), "nul", "a NUL byte");
	/* Check UTF-8 here: json-c accepts overlong forms and surrogates. */
	size_t valid = utf8_valid_length(text, len);
	if (valid < len)
		return json_bad(valid, "utf8", "invalid UTF-8");
	size_t n_members;
	struct error *err = json_grammar_check(text, len, &n_members, member);
	if (!err)
		err = parse_text(text, len, &value);
	if (err)
		return err;
	if (n_members != count_members(value)) {
		json_object_put(value);
		err = error_create(ERR_PARSE_ERROR, "an object has the same key twice");
		return error_detail(err, "reason", "duplicate_key");
	}
	*ret = value;
	return NULL;
}
