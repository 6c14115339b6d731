/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads lines of small files in /proc with system calls only. Part of ompdd-tracer. */
#ifndef OMPDD_TARGET_PROC_LINE_H
#define OMPDD_TARGET_PROC_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The largest number of bytes read from a file, with a NUL. */
#define PROC_LINE_TEXT 4096

/* Read the start of the file as a string. Return its length, or -1. @text has PROC_LINE_TEXT bytes. */
ssize_t proc_line_read(const char *path, char *text);
/* Store the rest of the line of @text that starts with @name, at most @size - 1 bytes. */
bool proc_line_find(const char *text, const char *name, char *ret, size_t size);

#endif
