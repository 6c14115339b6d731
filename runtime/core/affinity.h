/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* affinity-format-var, and what a thread's affinity looks like in it (OpenMP 5.2, 21.2.1 and 18.3.7 to 18.3.10). */
#ifndef OMPDD_RUNTIME_CORE_AFFINITY_H
#define OMPDD_RUNTIME_CORE_AFFINITY_H

#include <stddef.h>

struct thread;

#define AFFINITY_FORMAT_DEFAULT "level %L thread %i affinity %A"

/* Set affinity-format-var to the first @len bytes of @format, or all of it. */
void affinity_set_format(const char *format, size_t len);
/* Copy affinity-format-var as strncpy() would, but always ended; returns its length. */
size_t affinity_get_format(char *buffer, size_t size);

/*
 * What @t's affinity is by @format (NULL or "": affinity-format-var), at most @size bytes with the ending one; returns
 * how long it would be.
 */
size_t affinity_capture(const struct thread *t, char *buffer, size_t size, const char *format);
/* Print that on standard error, in one write. For the calling thread. */
void affinity_display(const struct thread *t, const char *format);

#endif
