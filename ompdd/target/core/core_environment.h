/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the environment that a core's program was started with, on the stack of its main thread. */
#ifndef OMPDD_TARGET_CORE_ENVIRONMENT_H
#define OMPDD_TARGET_CORE_ENVIRONMENT_H

#include "target/target.h"

struct process_auxv;

/* See target_environment(). */
struct error *core_environment(struct target *t, char **ret, size_t *len_ret);

/*
 * The same for the auxiliary vector @auxv. The kernel lays the stack out as argc, argv[], NULL, envp[], NULL, the
 * auxiliary vector, random bytes, the strings of argv, the strings of envp, and the name of the program. The pointers
 * may have changed, because setenv() writes to envp. The strings are what the program was started with.
 */
MUST_USE struct error *core_environment_find(struct target *t, const struct process_auxv *auxv, char **ret,
					     size_t *len_ret);

#endif
