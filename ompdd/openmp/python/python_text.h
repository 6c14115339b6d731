/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CPython's texts: compact strings of 1, 2 or 4 bytes per character. */
#ifndef OMPDD_OPENMP_PYTHON_TEXT_H
#define OMPDD_OPENMP_PYTHON_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct python;

/* Limit for the characters of a function's name or a file's path; longer ones are not read. */
#define PYTHON_MAX_TEXT 1024

/*
 * Returns the @n characters of @width bytes (1, 2 or 4) at @bytes as UTF-8. A character that is no Unicode scalar
 * value, a control character or NUL becomes "?". Returns NULL if memory is out; the caller frees the text.
 */
char *python_text_decode(const unsigned char *bytes, size_t n, unsigned width);
/*
 * Returns the text object at @address as UTF-8; the caller frees it. Returns NULL if it is not a compact text of at
 * most PYTHON_MAX_TEXT characters, or if memory is out.
 */
char *python_text_read(const struct python *py, uint64_t address);

#endif
