/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names that compilers give to the functions which they make of constructs' bodies. NULL is the name of none. */
#ifndef OMPDD_OPENMP_BODY_H
#define OMPDD_OPENMP_BODY_H

#include <stdbool.h>

#include "openmp/runtimes/constructs.h"

/* Whether a compiler made the function called @name of a construct: its body, part of that, or what copies a task's
 * data. */
bool body_is_outlined(const char *name);

/* Whether it copies what a task is given, before that begins. */
bool body_is_copier(const char *name);

/*
 * Whether only the runtime can have called it, as a construct's body. Not what the compiler split off that (.cold,
 * .part), nor the one that clang lets the body's own call.
 */
bool body_is_called_by_runtime(const char *name);

/*
 * clang calls the code of a region with if(0), and of a task with it, itself, or inlines it: between it and the code
 * around is no frame of the runtime. What the function called @name begins that is called from function @caller, both
 * of the program.
 */
enum construct body_direct_construct(const char *name, const char *caller);

#endif
