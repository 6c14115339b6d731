/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether other users could put something in the place of a file: for sockets, token files and the configuration. */
#ifndef OMPDD_BASE_SECURE_PATH_H
#define OMPDD_BASE_SECURE_PATH_H

#include <limits.h>

#include "base/error.h"

/*
 * Check each folder on the way to @path, also where symbolic links lead: owned by root or by us, and not writable by
 * others, unless sticky as /tmp is; in those that are, also the links must be root's or ours. So what @path leads to
 * stays what it is, unless root or we change it: it can be used later. The last name need not be there; if it is a
 * link, it is followed like the others. ERR_UNAUTHORIZED names the folder or the link.
 */
MUST_USE struct error *secure_path_check(const char *path);

/* The same; @ret is then the path without links. Open it with O_NOFOLLOW: others may make what was not there. */
MUST_USE struct error *secure_path_resolve(const char *path, char ret[PATH_MAX]);

#endif
