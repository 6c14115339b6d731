/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The steps of parsers of environment variables: a number, a word, a character, the end. */
#include "os/parse.h"

#include <stddef.h>
#include <strings.h>

/* Not isspace() and its like, which depend on the program's locale. */
static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word_char(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static const char *skip_space(const char *s)
{
	while (is_space(*s))
		s++;
	return s;
}

bool parse_unsigned(const char **text, uint64_t max, uint64_t *ret)
{
	const char *s = skip_space(*text);
	uint64_t value = 0;

	if (*s == '+')
		s++;
	if (!is_digit(*s))
		return false;
	for (; is_digit(*s); s++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*s - '0'), &value))
			return false;
	}
	if (value > max)
		return false;
	*ret = value;
	*text = s;
	return true;
}

bool parse_signed(const char **text, int64_t *ret)
{
	const char *s = skip_space(*text);
	bool negative = *s == '-';
	uint64_t value;

	if (negative && !is_digit(*++s))
		return false;
	if (!parse_unsigned(&s, INT64_MAX, &value))
		return false;
	*ret = negative ? -(int64_t)value : (int64_t)value;
	*text = s;
	return true;
}

bool parse_word(const char **text, const char *word)
{
	const char *s = skip_space(*text);
	size_t len = __builtin_strlen(word);

	if (strncasecmp(s, word, len) != 0 || is_word_char(s[len]))
		return false;
	*text = s + len;
	return true;
}

bool parse_one_of(const char **text, const char *const *words, unsigned *ret)
{
	for (unsigned i = 0; words[i]; i++) {
		if (parse_word(text, words[i])) {
			*ret = i;
			return true;
		}
	}
	return false;
}

bool parse_char(const char **text, char c)
{
	const char *s = skip_space(*text);

	if (*s != c)
		return false;
	*text = s + 1;
	return true;
}

bool parse_end(const char *text)
{
	return *skip_space(text) == '\0';
}
