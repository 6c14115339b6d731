/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Recognises the names that compilers give to the functions they create from the bodies of constructs. Every function
 * here accepts NULL, which matches no name.
 */
#ifndef OMPDD_OPENMP_BODY_H
#define OMPDD_OPENMP_BODY_H

#include <stdbool.h>
#include <stddef.h>

#include "openmp/runtimes/constructs.h"

/* Parts by which the names of outlined bodies are recognised; ends with NULL. */
extern const char *const body_marks[];

/*
 * Returns whether a compiler created the function @name for a construct: its body, a part of the body, or the function
 * that copies a task's data.
 */
bool body_is_outlined(const char *name);

/* The number of schemes by which compilers name the body of a construct after the function around it. */
#define BODY_SCHEMES 2

/*
 * Writes the name of body number @number in the function @function by naming scheme @scheme, below BODY_SCHEMES.
 * Returns false if the name does not fit into @size bytes.
 */
bool body_format_name(unsigned scheme, const char *function, unsigned number, char *ret, size_t size);

/* Returns whether the function @name copies the data of a task before the task starts. */
bool body_is_copier(const char *name);

/*
 * Returns whether only the runtime can have called the function @name, as a construct's body. Returns false for parts
 * that the compiler split off (.cold, .part). Also returns false for the inner function that clang's body calls itself.
 */
bool body_is_called_by_runtime(const char *name);

/* Returns whether the function @name is a target region's, of clang: for a device, or for the host. */
bool body_is_of_target(const char *name);

/*
 * Returns the construct that starts where function @caller calls function @name, both of the program. clang calls or
 * inlines the code of a region or task with if(0) itself. Then no frame of the runtime lies between that code and the
 * code around it.
 */
enum construct body_direct_construct(const char *name, const char *caller);

#endif
