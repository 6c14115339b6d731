/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The descendants of a process, from /proc. */
#ifndef OMPDD_CLI_OFFSPRING_H
#define OMPDD_CLI_OFFSPRING_H

#include <stddef.h>
#include <sys/types.h>

/*
 * List the living descendants of @ancestor, parents first, without zombies. The caller frees *@ret. Returns their
 * number.
 */
size_t offspring_list(pid_t ancestor, pid_t **ret);

/* Return whether the process exists and is no zombie. */
int offspring_is_alive(pid_t pid);

#endif
