/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Demangles names of C++ functions with the demangler of GNU's C++ library. Names come from the target's files, and a
 * short name can expand to an enormous text: size and time are bounded.
 */
#ifndef OMPDD_TARGET_DEMANGLE_H
#define OMPDD_TARGET_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Longer mangled names are returned unchanged. The library has the same limit. */
#define DEMANGLE_MAX_MANGLED 1024
/* Size of a readable name with its NUL; the rest is cut off. */
#define DEMANGLE_SIZE 4096
/* CPU time limit for one name. */
#define DEMANGLE_MAX_MS 20
/*
 * Time limit for all slow names together: names that take more than 100 us each, which no compiler creates. Beyond it
 * no more names are demangled.
 */
#define DEMANGLE_SLOW_US     100
#define DEMANGLE_MAX_SLOW_MS 400

/*
 * Return the readable form of @name, with the function's parameters. Return NULL if @name is not a mangled C++ name, or
 * exceeds the bounds. Valid until the next call. For one thread of the process; uses signal SIGRTMAX - 3.
 */
const char *demangle(const char *name);

/* Return demangle(@name), or @name if that is NULL. */
const char *demangle_or_same(const char *name);

/*
 * Return the start of the parameters in the readable name @name, or its end. Skips "(anonymous namespace)" and the
 * parameters of functions in template arguments.
 */
const char *demangle_parameters(const char *name);

#endif
