/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Names that separate the code of the program's authors from code that they only use. Such code belongs to sanitizers,
 * the languages' libraries and interpreters. In a static program it includes the C library.
 */
#ifndef OMPDD_OPENMP_STACK_NAMES_H
#define OMPDD_OPENMP_STACK_NAMES_H

#include <stdbool.h>

/*
 * Returns whether the function @symbol, a linker name, belongs to a sanitizer. This and the next functions return false
 * for NULL.
 */
bool stack_name_is_sanitizer(const char *symbol);
/* Returns whether @symbol starts threads for a sanitizer. */
bool stack_name_is_sanitizer_start(const char *symbol);
/*
 * Returns whether C and C++ reserve @symbol for compilers and their libraries. @is_static: the C library may be linked
 * into the program. Then the names of its functions in which threads stay count, too.
 */
bool stack_name_is_reserved(const char *symbol, bool is_static);
/*
 * Returns the name of @symbol in programs: "pause" for "__interceptor_pause", "__libc_pause" and "__pause". The result
 * is a part of @symbol.
 */
const char *stack_name_public(const char *symbol);

/* Returns whether the module at @path is a sanitizer, a language's own library or an interpreter. */
bool stack_name_is_support_module(const char *path);

#endif
