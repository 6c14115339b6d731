/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sets of numbers in the form "0,2,5-299", for thread numbers and thread ids. */
#ifndef OMPDD_CLI_RANGES_H
#define OMPDD_CLI_RANGES_H

#include <stddef.h>
#include <stdint.h>

/* All zeroes: the empty set. A number that is added twice counts once. */
struct ranges {
	int64_t *numbers;
	size_t n, cap;
	int sorted;
};

void ranges_add(struct ranges *r, int64_t number);
void ranges_add_all(struct ranges *r, const struct ranges *other);

/*
 * Return the text of the set, at most about @max_width columns (0: no limit); ".." replaces the rest. The caller
 * frees it; "" for the empty set.
 */
char *ranges_format(struct ranges *r, size_t max_width);
void ranges_deinit(struct ranges *r);

#endif
