/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines of /proc's small files, by nothing but system calls. Part of ompdd-tracer. */
#ifndef OMPDD_TARGET_PROC_LINE_H
#define OMPDD_TARGET_PROC_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What is read of a file. */
#define PROC_LINE_TEXT 4096

/* The beginning of the file, as a string; its length, or -1. @text has PROC_LINE_TEXT bytes. */
ssize_t proc_line_read(const char *path, char *text);
/* The rest of the line of @text that begins with @name, of at most @size - 1 bytes. */
bool proc_line_find(const char *text, const char *name, char *ret, size_t size);

#endif
