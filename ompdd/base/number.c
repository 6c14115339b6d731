/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parses numbers that users type. */
#include "base/number.h"

bool number_skip(const char **text, int64_t max, int64_t *ret)
{
	const char *p = *text;
	int64_t value = 0;

	for (; *p >= '0' && *p <= '9'; p++) {
		if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *p - '0', &value) ||
		    value > max)
			return false;
	}
	if (p == *text)
		return false;
	*text = p;
	*ret = value;
	return true;
}

bool number_parse(const char *text, int64_t min, int64_t max, int64_t *ret)
{
	int64_t value;

	if (!number_skip(&text, max, &value) || *text || value < min)
		return false;
	*ret = value;
	return true;
}
