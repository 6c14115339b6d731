/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tables of CPython's code objects that map instructions to lines of the source. */
#ifndef OMPDD_OPENMP_PYTHON_LINES_H
#define OMPDD_OPENMP_PYTHON_LINES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the line of the instruction at byte @offset of a code object of CPython @version (PYTHON_VERSION()). @table
 * is co_lnotab in 3.9 and co_linetable from 3.10 on. @first_line: co_firstlineno. Returns 0 if the instruction has no
 * line, or the table does not cover it.
 */
int python_lines_find(unsigned version, const unsigned char *table, size_t len, int first_line, size_t offset);

#endif
