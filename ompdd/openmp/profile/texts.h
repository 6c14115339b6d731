/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions, files and modules, each kept once and known by its number; bounded. */
#ifndef OMPDD_OPENMP_PROFILE_TEXTS_H
#define OMPDD_OPENMP_PROFILE_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#define TEXTS_MAX	65536
#define TEXTS_MAX_BYTES (8u << 20)

/* The number of what is not known; its text is "". */
#define TEXTS_NONE 0

/* All zeroes is a valid empty table. */
struct texts {
	char **texts; /* [0] is not used */
	uint32_t n, cap;
	uint32_t *index; /* open addressing; 0 is free */
	uint32_t cap_index;
	size_t bytes;
	uint64_t refused; /* for lack of room */
};

void texts_deinit(struct texts *t);
/* The number of @text, NULL being TEXTS_NONE; TEXTS_NONE, counted, when there is no room for it. */
uint32_t texts_add(struct texts *t, const char *text);
/* Borrowed. */
const char *texts_get(const struct texts *t, uint32_t number);

#endif
