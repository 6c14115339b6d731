/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Short forms of C++ names: "Grid<…>::solve<…>" instead of hundreds of characters. */
#ifndef OMPDD_BASE_FUNCTION_NAME_H
#define OMPDD_BASE_FUNCTION_NAME_H

struct buf;

/*
 * Append the short form of @name: without return type and parameters, with "…" for the arguments of each template, and
 * with the suffix of an outlined function: "Grid<…>::solve._omp_fn.0". Names of C, of Python, and names with an unknown
 * structure are appended unchanged. If memory is out, the text ends there.
 */
void function_name_shorten(struct buf *p, const char *name);

#endif
