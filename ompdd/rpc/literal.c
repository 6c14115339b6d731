/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parses the strings of fixed form: target ids, handles, hex words. */
#include "rpc/literal.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Skip a decimal of at most @max_digits without leading zeros; NULL if there is no decimal. */
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

bool literal_is_target_id(const char *text)
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

/* Skip "r1:" and so on, the prefix of all runtimes but the first; there is no "r0:". */
static const char *skip_runtime(const char *p)
{
	if (p[0] != 'r')
		return p;
	if (p[1] == '0')
		return NULL;
	p = skip_decimal(p + 1, 2);
	return p && *p == ':' ? p + 1 : NULL;
}

bool literal_is_handle(const char *text, const char *kind)
{
	const char *p = skip_target_id(text);

	if (!p || p[0] != ':' || p[1] != 'e')
		return false;
	p = skip_decimal(p + 2, 18);
	if (!p || *p != ':')
		return false;
	p = skip_runtime(p + 1);
	p = p ? skip_kind(p, kind) : NULL;
	p = p ? skip_decimal(p, 18) : NULL;
	return p && *p == '\0';
}

bool literal_parse_hex(const char *text, uint64_t *ret)
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
