/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks whether other users could replace a file: for sockets, token files and the configuration. */
#ifndef OMPDD_BASE_SECURE_PATH_H
#define OMPDD_BASE_SECURE_PATH_H

#include <limits.h>

#include "base/error.h"

/*
 * Check each folder on the way to @path, including the targets of symbolic links. Root or our user must own it. Other
 * users must not be able to write to it, unless it is sticky like /tmp. In a sticky folder, root or our user must own
 * the links, too.
 *
 * Then only root or our user can change the file that @path leads to, so the caller can use it later. The last name
 * need not exist; a link there is followed like any other. Returns ERR_UNAUTHORIZED, which names the folder or the
 * link.
 */
MUST_USE struct error *secure_path_check(const char *path);

/*
 * The same; sets @ret to the path without links. Open it with O_NOFOLLOW: another user may create a link if the file
 * did not exist.
 */
MUST_USE struct error *secure_path_resolve(const char *path, char ret[PATH_MAX]);

#endif
