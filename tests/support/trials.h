/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The number of trials in tests of races: OMPDD_TRIALS in the environment replaces the default of 40. */
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

/* Return @n rounds, reduced in proportion if there are fewer trials than usual; never more than @n. */
static inline int fewer_rounds(int n)
{
	int part = trials() < TRIALS ? n * trials() / TRIALS : n;

	return part > 0 ? part : 1;
}

#endif
