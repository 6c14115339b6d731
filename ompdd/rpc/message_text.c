/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * json-c parses; what it lets pass is found by a scan of the text that it has accepted. The
 * scan may therefore rely on strings and brackets being well formed.
 */
#include "rpc/message_text.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/message.h"
#include "rpc/utf8.h"

/* A text up to this length leaves a tokener small enough to be kept for the next. */
#define KEEP_TOKENER 4096
/* The longest number; the exact value of any double fits. */
#define MAX_NUMBER 1100

struct scan {
	const char *text;
	size_t len;
	size_t pos;
	size_t n_members; /* colons outside of strings: members of objects as they were written */
};

static struct error *bad(size_t offset, const char *reason, const char *what)
{
	struct error *err = error_create(ERR_PARSE_ERROR, "%s at byte %zu", what, offset);

	err = error_detail(err, "reason", "%s", reason);
	return error_detail(err, "offset", "%zu", offset);
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int hex4(const char *s)
{
	int value = 0;

	for (int i = 0; i < 4; i++) {
		char c = s[i];

		if (is_digit(c))
			value = value * 16 + c - '0';
		else if (c >= 'a' && c <= 'f')
			value = value * 16 + c - 'a' + 10;
		else if (c >= 'A' && c <= 'F')
			value = value * 16 + c - 'A' + 10;
		else
			return -1;
	}
	return value;
}

/* The code unit of a \uXXXX at @pos, or -1. */
static int code_unit(const struct scan *s, size_t pos)
{
	if (pos > s->len || s->len - pos < 6 || s->text[pos] != '\\' || s->text[pos + 1] != 'u')
		return -1;
	return hex4(s->text + pos + 2);
}

/* An escape at s->pos; leaves s->pos behind it. */
static struct error *scan_escape(struct scan *s)
{
	int unit = code_unit(s, s->pos);

	if (unit < 0) {
		s->pos += 2;
		return NULL;
	}
	if (unit == 0)
		return bad(s->pos, "nul", "\\u0000 is not allowed in strings");
	if (unit >= 0xdc00 && unit <= 0xdfff)
		return bad(s->pos, "utf8", "half of a surrogate pair");
	if (unit >= 0xd800 && unit <= 0xdbff) {
		int low = code_unit(s, s->pos + 6);

		if (low < 0xdc00 || low > 0xdfff)
			return bad(s->pos, "utf8", "half of a surrogate pair");
		s->pos += 6;
	}
	s->pos += 6;
	return NULL;
}

/* The string whose opening quote is at s->pos. */
static struct error *scan_string(struct scan *s)
{
	for (s->pos++; s->pos < s->len;) {
		unsigned char c = (unsigned char)s->text[s->pos];

		if (c == '"') {
			s->pos++;
			return NULL;
		}
		if (c < 0x20)
			return bad(s->pos, "syntax", "control character in a string");
		if (c == '\\') {
			struct error *err = scan_escape(s);
			if (err)
				return err;
		} else {
			s->pos++;
		}
	}
	return bad(s->pos, "syntax", "string without end");
}

/* Skip digits from @p to @end; NULL when there is none. */
static const char *skip_digits(const char *p, const char *end)
{
	if (p == end || !is_digit(*p))
		return NULL;
	while (p < end && is_digit(*p))
		p++;
	return p;
}

/* Whether a number is one by JSON's grammar; *@integer_ret: it has neither fraction nor exponent.
 */
static bool number_is_valid(const char *p, const char *end, bool *integer_ret)
{
	*integer_ret = true;
	if (p < end && *p == '-')
		p++;
	if (end - p > 1 && p[0] == '0' && is_digit(p[1]))
		return false;
	p = skip_digits(p, end);
	if (p && p < end && *p == '.') {
		*integer_ret = false;
		p = skip_digits(p + 1, end);
	}
	if (p && p < end && (*p == 'e' || *p == 'E')) {
		*integer_ret = false;
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		p = skip_digits(p, end);
	}
	return p == end;
}

static struct error *scan_number(struct scan *s)
{
	char copy[MAX_NUMBER + 1];
	size_t start = s->pos;
	bool integer;

	while (s->pos < s->len && (is_digit(s->text[s->pos]) || strchr("+-.eE", s->text[s->pos])))
		s->pos++;
	size_t len = s->pos - start;
	if (!number_is_valid(s->text + start, s->text + s->pos, &integer))
		return bad(start, "syntax", "malformed number");
	if (len > MAX_NUMBER)
		return bad(start, "integer_range", "number too long");
	if (!integer)
		return NULL;
	memcpy(copy, s->text + start, len);
	copy[len] = '\0';
	errno = 0;
	if (copy[0] == '-')
		(void)strtoll(copy, NULL, 10);
	else
		(void)strtoull(copy, NULL, 10);
	if (errno == ERANGE)
		return bad(start, "integer_range", "integer beyond 64 bits");
	return NULL;
}

static struct error *scan_word(struct scan *s)
{
	static const char *const words[] = {"true", "false", "null"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]);

		if (s->len - s->pos >= n && !memcmp(s->text + s->pos, words[i], n)) {
			s->pos += n;
			return NULL;
		}
	}
	return bad(s->pos, "syntax", "neither a value nor punctuation");
}

/* Find what json-c lets pass in s->text, which it has accepted. */
static struct error *scan(struct scan *s)
{
	struct error *err = NULL;

	while (!err && s->pos < s->len) {
		char c = s->text[s->pos];

		if (c == '"') {
			err = scan_string(s);
		} else if (c == '-' || is_digit(c)) {
			err = scan_number(s);
		} else if (is_space(c) || (c && strchr("{}[],:", c))) {
			s->n_members += c == ':';
			s->pos++;
		} else {
			err = scan_word(s);
		}
	}
	return err;
}

/* Members of all objects in @value; its depth is bounded by the parser. */
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

/*
 * Bound the memory that json-c will use, a few hundred bytes per value. Counts separators
 * outside of strings; what it counts in malformed text does not matter.
 */
static struct error *check_size(const char *text, size_t len)
{
	size_t n = 1;
	bool in_string = false;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (in_string && c == '\\')
			i++;
		else if (c == '"')
			in_string = !in_string;
		else if (!in_string && (c == ',' || c == '[' || c == '{'))
			n++;
	}
	if (n <= MESSAGE_MAX_VALUES)
		return NULL;
	return error_create(ERR_LIMIT_EXCEEDED, "the message holds more than %d JSON values",
			    MESSAGE_MAX_VALUES);
}

static struct error *tokener_error(struct json_tokener *tok, size_t offset)
{
	enum json_tokener_error code = json_tokener_get_error(tok);

	if (code == json_tokener_error_depth) {
		struct error *err =
		    error_create(ERR_PARSE_ERROR, "nested deeper than %d levels at byte %zu",
				 MESSAGE_MAX_DEPTH, offset);
		err = error_detail(err, "reason", "depth");
		return error_detail(err, "offset", "%zu", offset);
	}
	if (code == json_tokener_continue || code == json_tokener_error_parse_eof)
		return bad(offset, "syntax", "the text ends too early");
	return bad(offset, "syntax", json_tokener_error_desc(code));
}

/* Making one costs as much as parsing a short text with it. One thread parses, in either program. */
static struct json_tokener *spare;

static struct json_tokener *tokener_take(void)
{
	struct json_tokener *tok = spare;

	spare = NULL;
	if (!tok)
		tok = json_tokener_new_ex(MESSAGE_MAX_DEPTH);
	if (tok)
		json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	return tok;
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

static struct error *tokenise(const char *text, size_t len, struct json_object **ret)
{
	struct json_tokener *tok = tokener_take();
	struct error *err = NULL;

	if (!tok)
		return &error_nomem;
	struct json_object *value = json_tokener_parse_ex(tok, text, (int)len);
	size_t offset = json_tokener_get_parse_end(tok);
	/* A number at the top only ends with the text. */
	if (json_tokener_get_error(tok) == json_tokener_continue)
		value = json_tokener_parse_ex(tok, "", 1);
	if (json_tokener_get_error(tok) != json_tokener_success) {
		json_object_put(value);
		err = tokener_error(tok, offset);
	} else {
		*ret = value;
	}
	tokener_give_back(tok, len);
	return err;
}

struct error *message_text_parse(const char *text, size_t len, struct json_object **ret)
{
	struct json_object *value = NULL;

	while (len > 0 && is_space(text[len - 1]))
		len--;
	if (len == 0)
		return bad(0, "syntax", "no JSON value");
	if (len > INT_MAX - 1)
		return error_create(ERR_LIMIT_EXCEEDED, "the message is too long");
	if (memchr(text, '\0', len))
		return bad((size_t)((const char *)memchr(text, '\0', len) - text), "nul",
			   "a NUL byte");
	/* Not left to json-c, which takes overlong forms and surrogates. */
	size_t valid = utf8_valid_length(text, len);
	if (valid < len)
		return bad(valid, "utf8", "invalid UTF-8");
	struct error *err = check_size(text, len);
	if (!err)
		err = tokenise(text, len, &value);
	if (err)
		return err;

	struct scan s = {.text = text, .len = len};
	err = scan(&s);
	if (!err && s.n_members != count_members(value))
		err =
		    error_detail(error_create(ERR_PARSE_ERROR, "an object has the same key twice"),
				 "reason", "duplicate_key");
	if (err) {
		json_object_put(value);
		return err;
	}
	*ret = value;
	return NULL;
}
