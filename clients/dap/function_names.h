/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions on a native stack by their names. @names is the result of runtime.names; NULL: no name is recognised.
 */
#ifndef OMPDD_DAP_FUNCTION_NAMES_H
#define OMPDD_DAP_FUNCTION_NAMES_H

#include <stdbool.h>

struct json_object;

/* Return whether a compiler created the function from the body of a construct. */
bool function_names_is_body(struct json_object *names, const char *name);
/* Return whether a program calls the function to start a region. */
bool function_names_is_fork(struct json_object *names, const char *name);
/* Return whether the function is the runtime's, or has no name. */
bool function_names_is_runtime(struct json_object *names, const char *name);

/* Return the part of the name that comes from the program: "solve" for "solve._omp_fn.0"; NULL: nothing is left. The
 * caller frees it. */
char *function_names_program_part(struct json_object *names, const char *name);

#endif
