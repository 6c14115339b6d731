/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks the grammar of JSON (RFC 8259) token by token, with a stack of the open brackets. */
#include "rpc/json_grammar.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/message.h"

/* The longest number; the exact value of any double fits. */
#define MAX_NUMBER 1100

/* The tokens that may come next. */
enum expect {
	EXPECT_VALUE,
	EXPECT_VALUE_OR_END, /* after [ */
	EXPECT_KEY,
	EXPECT_KEY_OR_END, /* after { */
	EXPECT_COLON,
	EXPECT_NEXT, /* after a value: a comma, the end of its container, or the end of the text */
};

struct scan {
	const char *text;
	size_t len;
	size_t pos;
	size_t n_members; /* members of all objects in the text, duplicates included */
	size_t n_values;
	enum expect expect;
	unsigned depth;			   /* number of open brackets */
	bool is_object[MESSAGE_MAX_DEPTH]; /* for each open bracket: it is { */
	struct json_member *member;	   /* the member to find, or NULL */
	unsigned level;			   /* the depth of the objects with that member */
	bool is_named;			   /* the last token, or the one before a colon, was its key */
	size_t value;			   /* start of its value while that is being read; 0: not being read */
};

struct error *json_bad(size_t offset, const char *reason, const char *what)
{
	struct error *err = error_create(ERR_PARSE_ERROR, "%s at byte %zu", what, offset);

	err = error_detail(err, "reason", "%s", reason);
	return error_detail(err, "offset", "%zu", offset);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int parse_hex4(const char *s)
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

/* Return the code unit of a \uXXXX at @pos, or -1. */
static int parse_code_unit(const struct scan *s, size_t pos)
{
	if (pos > s->len || s->len - pos < 6 || s->text[pos] != '\\' || s->text[pos + 1] != 'u')
		return -1;
	return parse_hex4(s->text + pos + 2);
}

static struct error *refuse_end(const struct scan *s)
{
	return json_bad(s->len, "syntax", "the text ends too early");
}

/* Scan the escape at s->pos; sets s->pos to its end. */
static struct error *scan_escape(struct scan *s)
{
	int unit = parse_code_unit(s, s->pos);

	if (unit < 0) {
		if (s->len - s->pos < 2)
			return refuse_end(s);
		if (!s->text[s->pos + 1] || !strchr("\"\\/bfnrt", s->text[s->pos + 1]))
			return json_bad(s->pos, "syntax", "unknown escape sequence");
		s->pos += 2;
		return NULL;
	}
	if (unit == 0)
		return json_bad(s->pos, "nul", "\\u0000 is not allowed in strings");
	if (unit >= 0xdc00 && unit <= 0xdfff)
		return json_bad(s->pos, "utf8", "half of a surrogate pair");
	if (unit >= 0xd800 && unit <= 0xdbff) {
		int low = parse_code_unit(s, s->pos + 6);

		if (low < 0xdc00 || low > 0xdfff)
			return json_bad(s->pos, "utf8", "half of a surrogate pair");
		s->pos += 6;
	}
	s->pos += 6;
	return NULL;
}

/* Scan the string whose opening quote is at s->pos. */
static struct error *scan_string(struct scan *s)
{
	for (s->pos++; s->pos < s->len;) {
		unsigned char c = (unsigned char)s->text[s->pos];

		if (c == '"') {
			s->pos++;
			return NULL;
		}
		if (c < 0x20)
			return json_bad(s->pos, "syntax", "control character in a string");
		if (c == '\\') {
			struct error *err = scan_escape(s);
			if (err)
				return err;
		} else {
			s->pos++;
		}
	}
	return refuse_end(s);
}

/* Skip digits from @p to @end; NULL if there are no digits. */
static const char *skip_digits(const char *p, const char *end)
{
	if (p == end || !is_digit(*p))
		return NULL;
	while (p < end && is_digit(*p))
		p++;
	return p;
}

/* Return true if a number conforms to JSON's grammar. *@integer_ret: it has neither fraction nor exponent. */
static bool is_valid_number(const char *p, const char *end, bool *integer_ret)
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
	if (!is_valid_number(s->text + start, s->text + s->pos, &integer))
		return json_bad(start, "syntax", "malformed number");
	if (len > MAX_NUMBER)
		return json_bad(start, "integer_range", "number too long");
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
		return json_bad(start, "integer_range", "integer beyond 64 bits");
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
	return json_bad(s->pos, "syntax", "neither a value nor punctuation");
}

static struct error *refuse_token(const struct scan *s)
{
	static const char *const wanted[] = {
		[EXPECT_VALUE] = "a value is missing", [EXPECT_VALUE_OR_END] = "neither a value nor a bracket",
		[EXPECT_KEY] = "a key is missing",     [EXPECT_KEY_OR_END] = "neither a key nor a brace",
		[EXPECT_COLON] = "a colon is missing", [EXPECT_NEXT] = "neither a comma nor an end",
	};

	return json_bad(s->pos, "syntax", wanted[s->expect]);
}

static struct error *open_bracket(struct scan *s, bool is_object)
{
	s->is_object[s->depth++] = is_object;
	s->expect = is_object ? EXPECT_KEY_OR_END : EXPECT_VALUE_OR_END;
	s->pos++;
	return NULL;
}

static struct error *scan_value(struct scan *s)
{
	char c = s->text[s->pos];

	if (s->depth == MESSAGE_MAX_DEPTH) {
		struct error *err = error_create(ERR_PARSE_ERROR, "nested deeper than %d levels at byte %zu",
						 MESSAGE_MAX_DEPTH, s->pos);

		err = error_detail(err, "reason", "depth");
		return error_detail(err, "offset", "%zu", s->pos);
	}
	if (++s->n_values > MESSAGE_MAX_VALUES)
		return error_create(ERR_LIMIT_EXCEEDED, "the message holds more than %d JSON values",
				    MESSAGE_MAX_VALUES);
	s->expect = EXPECT_NEXT;
	if (c == '{' || c == '[')
		return open_bracket(s, c == '{');
	if (c == '"')
		return scan_string(s);
	return c == '-' || is_digit(c) ? scan_number(s) : scan_word(s);
}

/* Scan a comma or a closing bracket at s->pos. */
static struct error *scan_next(struct scan *s)
{
	char c = s->text[s->pos];
	bool in_object = s->depth && s->is_object[s->depth - 1];

	if (s->depth && c == (in_object ? '}' : ']')) {
		s->depth--;
		s->expect = EXPECT_NEXT;
	} else if (s->depth && c == ',' && s->expect == EXPECT_NEXT) {
		s->expect = in_object ? EXPECT_KEY : EXPECT_VALUE;
	} else {
		return refuse_token(s);
	}
	s->pos++;
	return NULL;
}

static struct error *scan_key(struct scan *s)
{
	if (s->text[s->pos] != '"')
		return refuse_token(s);
	s->expect = EXPECT_COLON;
	return scan_string(s);
}

/* Scan the token at s->pos, which is not white space. */
static struct error *scan_token(struct scan *s)
{
	char c = s->text[s->pos];

	switch (s->expect) {
	case EXPECT_VALUE_OR_END:
		return c == ']' ? scan_next(s) : scan_value(s);
	case EXPECT_VALUE:
		return scan_value(s);
	case EXPECT_KEY_OR_END:
		return c == '}' ? scan_next(s) : scan_key(s);
	case EXPECT_KEY:
		return scan_key(s);
	case EXPECT_COLON:
		if (c != ':')
			return refuse_token(s);
		s->n_members++;
		s->expect = EXPECT_VALUE;
		s->pos++;
		return NULL;
	case EXPECT_NEXT:
		break;
	}
	return scan_next(s);
}

/* Record the token from @start to s->pos if it is the wanted member, or a part of its value. */
static void note_member(struct scan *s, size_t start)
{
	struct json_member *m = s->member;
	char c = s->text[start];

	if (m->n == 0) { /* the first token */
		s->level = c == '[' ? 2 : 1;
		m->n = 1;
	} else if (c == ',' && s->level == 2 && s->depth == 1) {
		m->n++;
	} else if (s->expect == EXPECT_COLON) {
		size_t len = s->pos - start - 2;

		s->is_named =
			s->depth == s->level && len == strlen(m->name) && !memcmp(s->text + start + 1, m->name, len);
	} else if (s->is_named && c != ':') {
		s->value = start;
		s->is_named = false;
	}
	if (!s->value || s->depth != s->level || s->expect != EXPECT_NEXT)
		return;
	if (m->n <= MESSAGE_MAX_BATCH) {
		m->at[m->n - 1].start = s->value;
		m->at[m->n - 1].len = s->pos - s->value;
	}
	s->value = 0;
}

struct error *json_grammar_check(const char *text, size_t len, size_t *n_members_ret, struct json_member *member)
{
	struct scan s = {.text = text, .len = len, .member = member};
	struct error *err = NULL;

	while (!err && s.pos < len) {
		size_t start = s.pos;

		if (json_is_space(text[start])) {
			s.pos++;
			continue;
		}
		err = scan_token(&s);
		if (!err && member)
			note_member(&s, start);
	}
	if (!err && (s.depth || s.expect != EXPECT_NEXT))
		err = refuse_end(&s);
	if (!err)
		*n_members_ret = s.n_members;
	return err;
}
