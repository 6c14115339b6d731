/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How often tests try what depends on the moment: OMPDD_TRIALS in the environment, more or fewer than the usual 40. */
#ifndef OMPDD_SUPPORT_TRIALS_H
#define OMPDD_SUPPORT_TRIALS_H

#include <stdlib.h>

#define TRIALS 40

static inline int trials(void)
{
	const char *text = getenv("OMPDD_TRIALS");
	long n = text ? strtol(text, NULL, 10) : 0;

	return n > 0 ? (int)n : TRIALS;
}

/* Of @n rounds within a test that is no trial itself the same part, if there are fewer trials; never more. */
static inline int fewer_rounds(int n)
{
	int part = trials() < TRIALS ? n * trials() / TRIALS : n;

	return part > 0 ? part : 1;
}

#endif
