/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions, files and modules, each stored once under a number; bounded. */
#ifndef OMPDD_OPENMP_PROFILE_TEXTS_H
#define OMPDD_OPENMP_PROFILE_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

#define TEXTS_MAX	65536
#define TEXTS_MAX_BYTES (8u << 20)

/* The number of an unknown text; its text is "". */
#define TEXTS_NONE 0

/* All zeroes is a valid empty table. */
struct texts {
	char **texts; /* [0] is not used */
	uint32_t n, cap;
	struct hash index;
	size_t bytes;
	uint64_t refused; /* for lack of room */
};

void texts_deinit(struct texts *t);
/*
 * Returns the number of @text; TEXTS_NONE for NULL. Without room it returns TEXTS_NONE and counts the text in
 * `refused`.
 */
uint32_t texts_add(struct texts *t, const char *text);
/* Returns the text; borrowed. */
const char *texts_get(const struct texts *t, uint32_t number);

#endif
