/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether other users could put something in the place of a file: for sockets and token files. */
#ifndef OMPDD_SERVER_SECURE_PATH_H
#define OMPDD_SERVER_SECURE_PATH_H

#include "base/error.h"

/*
 * Check the folder of @path and all above it, symbolic links resolved: each owned by root or by
 * us, none writable by others, unless sticky as /tmp is. ERR_UNAUTHORIZED names the folder.
 */
MUST_USE struct error *secure_path_check(const char *path);

#endif
