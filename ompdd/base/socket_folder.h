/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The folder of a user's own daemon socket. The daemon creates it, ompdctl connects below it. */
#ifndef OMPDD_BASE_SOCKET_FOLDER_H
#define OMPDD_BASE_SOCKET_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Write the folder of user @uid to @ret, which has @size bytes: $XDG_RUNTIME_DIR/ompdd, else /run/ompdd for root, else
 * /run/user/UID/ompdd, or, where /run/user/UID does not exist (su, containers, batch nodes), ompdd-UID in $TMPDIR or
 * /tmp. Returns false if it does not fit.
 */
bool socket_folder_find(uid_t uid, char *ret, size_t size);

#endif
