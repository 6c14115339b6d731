/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* affinity-format-var, and the display of a thread's affinity (OpenMP 5.2, 21.2.1 and 18.3.7 to 18.3.10). */
#ifndef OMPDD_RUNTIME_CORE_AFFINITY_AFFINITY_FORMAT_H
#define OMPDD_RUNTIME_CORE_AFFINITY_AFFINITY_FORMAT_H

#include <stddef.h>

struct thread;

#define AFFINITY_FORMAT_DEFAULT "level %L thread %i affinity %A"

/* Sets affinity-format-var to the first @len bytes of @format, or to all of it. */
void affinity_set_format(const char *format, size_t len);
/* Copies affinity-format-var as strncpy() would, but always terminated. Returns its length. */
size_t affinity_get_format(char *buffer, size_t size);

/*
 * Formats the affinity of @t by @format (NULL or "": affinity-format-var) into at most @size bytes with the
 * terminator. Returns the full length.
 */
size_t affinity_capture(const struct thread *t, char *buffer, size_t size, const char *format);
/* Prints the affinity of @t, the calling thread, on standard error, in one write. */
void affinity_display(const struct thread *t, const char *format);

#endif
