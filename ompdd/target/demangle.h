/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Names of C++ functions as people write them, through the demangler of GNU's C++ library. Names come from the target's
 * files, and a short one can stand for more text than there are atoms: size and time are bounded.
 */
#ifndef OMPDD_TARGET_DEMANGLE_H
#define OMPDD_TARGET_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Longer mangled names stay as they are; the library takes no longer ones. */
#define DEMANGLE_MAX_MANGLED 1024
/* Of a readable name, with its zero; the rest is cut off. */
#define DEMANGLE_SIZE 4096
/* Processor time that one name may take. */
#define DEMANGLE_MAX_MS 20
/* What all those names may take together that take more than 100 us each, as no compiler's do; then no more are tried.
 */
#define DEMANGLE_SLOW_US     100
#define DEMANGLE_MAX_SLOW_MS 400

/*
 * The readable form of @name, with the function's parameters; NULL when it is not a mangled name of C++, or none that
 * can be had within the bounds. Good until the next call. For one thread of the process; uses signal SIGRTMAX - 3.
 */
const char *demangle(const char *name);

/* The same, or @name itself. */
const char *demangle_or_same(const char *name);

/* Where the parameters of readable name @name begin, or its end: neither "(anonymous namespace)" nor the parameters of
 * a function within a template's arguments are those. */
const char *demangle_parameters(const char *name);

#endif
