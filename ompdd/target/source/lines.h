/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the code of a source line in the line tables of all modules' debug information. */
#ifndef OMPDD_TARGET_LINES_H
#define OMPDD_TARGET_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "target/target.h"

/* Addresses of one line: instances of a template or of an inlined function. More are ERR_LIMIT_EXCEEDED. */
#define LINES_MAX_PLACES 1024
/* Limit for the line table rows, of all modules together, that one search reads. */
#define LINES_MAX_ROWS (256u << 20)
/* Limit for the rows of one line that are distinguished by function. */
#define LINES_MAX_SAME 65536

struct lines {
	int line;	     /* the line with code: the requested one, or the next one with code */
	uint64_t *addresses; /* owned; ascending */
	size_t n;
};

/*
 * Find the code of line @line of @file: the name passed to the compiler, or the end of that name after a '/'. The
 * smallest line from @line on with code in any such file counts. Each function with code of that line, and each place
 * where one is inlined, yields its lowest address, once per contiguous part. Call it within a view.
 * ERR_SYMBOL_NOT_FOUND (says whether debug information, the file, or code from that line on is missing),
 * ERR_LIMIT_EXCEEDED.
 */
MUST_USE struct error *lines_find(struct target *t, const char *file, int line, struct lines *ret);
void lines_deinit(struct lines *l);

#endif
