/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the code of a source line is, from the line tables of all modules' debug information. */
#ifndef OMPDD_TARGET_LINES_H
#define OMPDD_TARGET_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "target/target.h"

/* Places of one line: instances of a template, of an inlined function. More are ERR_LIMIT_EXCEEDED. */
#define LINES_MAX_PLACES 1024
/* Rows of line tables, of all modules together, that one search reads. */
#define LINES_MAX_ROWS (256u << 20)
/* Rows of the one line that are told apart by their function. */
#define LINES_MAX_SAME 65536

struct lines {
	int line;	     /* the one that has code: the one asked for, or the next one behind it */
	uint64_t *addresses; /* owned; ascending */
	size_t n;
};

/*
 * Find the code of line @line of @file: the name as the compiler was told, or the end of it behind a '/'. The smallest
 * line from
 * @line on that has code in any such file counts. Of each function (and each place where one is inlined) that has code
 * of it, the lowest address is given, once per contiguous part of that function. To be called within a view.
 * ERR_SYMBOL_NOT_FOUND (says whether debug information, the file, or code from that line on is missing),
 * ERR_LIMIT_EXCEEDED.
 */
MUST_USE struct error *lines_find(struct target *t, const char *file, int line, struct lines *ret);
void lines_deinit(struct lines *l);

#endif
