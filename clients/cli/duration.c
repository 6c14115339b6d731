/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parsing of durations. */
#include "duration.h"

#include <stdlib.h>

struct error *duration_parse(const char *what, const char *text, double *ret)
{
	static const struct {
		char letter;
		double seconds;
	} units[] = {{0, 1}, {'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
	char *end;
	double number = strtod(text, &end);

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		double seconds = number * units[i].seconds;

		if (end == text || *end != units[i].letter || (*end && end[1]) || !(seconds >= 0) ||
		    !__builtin_isfinite(seconds))
			continue;
		*ret = seconds;
		return NULL;
	}
	return failure_usage(NULL, "%s needs a time such as 30, 1.5m or 2h, not '%s'", what, text);
}
