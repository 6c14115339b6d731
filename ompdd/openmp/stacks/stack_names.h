/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Names that distinguish the code of the program's authors from code that they only use: sanitizers, the libraries of
 * the languages, interpreters, and, in a static program, the C library.
 */
#ifndef OMPDD_OPENMP_STACK_NAMES_H
#define OMPDD_OPENMP_STACK_NAMES_H

#include <stdbool.h>

/* Whether the function @symbol, as the linker names it, belongs to a sanitizer. False for NULL, also in what follows.
 */
bool stack_name_is_sanitizer(const char *symbol);
/* Whether it starts threads for a sanitizer. */
bool stack_name_is_sanitizer_start(const char *symbol);
/*
 * Whether @symbol is a name that C and C++ reserve for compilers and their libraries. @is_static: the C library may be
 * linked into the program; then the names of its functions in which threads stay count, too.
 */
bool stack_name_is_reserved(const char *symbol, bool is_static);
/* @symbol as programs write it: "pause" for "__interceptor_pause", "__libc_pause" and "__pause". Part of @symbol. */
const char *stack_name_public(const char *symbol);

/* Whether the module at @path is a sanitizer, a language's own library or an interpreter. */
bool stack_name_is_support_module(const char *path);

#endif
