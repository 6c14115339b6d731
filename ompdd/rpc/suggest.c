/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the closest known name, by edit distance. */
#include "rpc/suggest.h"

#include <stddef.h>
#include <string.h>

static int get_minimum(int a, int b, int c)
{
	int m = a < b ? a : b;

	return m < c ? m : c;
}

int suggest_distance(const char *a, const char *b)
{
	int rows[3][SUGGEST_MAX_NAME + 1];
	size_t la = strnlen(a, SUGGEST_MAX_NAME + 1);
	size_t lb = strnlen(b, SUGGEST_MAX_NAME + 1);
	int *before = rows[0], *prev = rows[1], *row = rows[2];

	if (la > SUGGEST_MAX_NAME || lb > SUGGEST_MAX_NAME)
		return SUGGEST_MAX_NAME;
	for (size_t j = 0; j <= lb; j++)
		prev[j] = (int)j;
	for (size_t i = 1; i <= la; i++) {
		row[0] = (int)i;
		for (size_t j = 1; j <= lb; j++) {
			row[j] = get_minimum(prev[j] + 1, row[j - 1] + 1, prev[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		int *spare = before;
		before = prev;
		prev = row;
		row = spare;
	}
	return prev[lb];
}

void suggest_consider(const char *name, const char *candidate, const char **best)
{
	int d = suggest_distance(name, candidate);

	if (d > (int)(strlen(candidate) + 2) / 3)
		return;
	if (!*best || d < suggest_distance(name, *best))
		*best = candidate;
}
