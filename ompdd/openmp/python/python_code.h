/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CPython's code objects: the name of a function, its file, and the lines of its instructions. */
#ifndef OMPDD_OPENMP_PYTHON_CODE_H
#define OMPDD_OPENMP_PYTHON_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

struct python;

/* Limit for the bytes of a table of lines; the lines of larger ones are not known. */
#define PYTHON_MAX_LINES (256u << 10)

struct python_code {
	uint64_t address;
	char *function; /* qualified ("Model.fit") from 3.11 on */
	char *file;
	int32_t first_line;
	int32_t first_traceable; /* index of the first instruction that belongs to a line */
	uint64_t instructions;	 /* address of the first instruction; 0: instructions are counted */
	unsigned char *lines;	 /* NULL: not known */
	size_t n_lines;
};

/* The code objects of one view. All zeroes is a valid empty list. */
struct python_codes {
	struct python_code *codes;
	uint32_t n, cap;
	struct hash index;
};

/*
 * Returns the code object at @address, borrowed until the next call. Returns NULL if that is not a code object with
 * readable names, or if memory is out.
 */
const struct python_code *python_codes_get(struct python_codes *codes, const struct python *py, uint64_t address);
void python_codes_deinit(struct python_codes *codes);

/*
 * Returns the line of @instruction, as struct python_frame has it; 0: it has none. Sets *@ret_is_started to whether
 * the function has reached its first line.
 */
int python_code_line(const struct python_code *code, const struct python *py, uint64_t instruction,
		     bool *ret_is_started);

/*
 * Returns a number that identifies @instruction among those of all code objects. For 0 the result identifies the code.
 */
uint64_t python_code_instruction(const struct python_code *code, uint64_t instruction);

#endif
