/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The processes below a process, from /proc. */
#ifndef OMPDD_CLI_OFFSPRING_H
#define OMPDD_CLI_OFFSPRING_H

#include <stddef.h>
#include <sys/types.h>

/*
 * The living processes that @ancestor has started, and those that these have, parents first; zombies are none. The
 * caller frees *@ret. Returns how many.
 */
size_t offspring_list(pid_t ancestor, pid_t **ret);

#endif
