/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A folder of kept files with a limited size: a new file removes the oldest ones. */
#ifndef OMPDD_CLI_WATCH_KEPT_H
#define OMPDD_CLI_WATCH_KEPT_H

#include <stddef.h>
#include <stdint.h>

#include "failure.h"

struct kept_limits {
	int64_t max_files, max_bytes; /* of the files that kept_write() has written */
};

/*
 * Check the folder, and create it (mode 0700) if it does not exist. It must belong to our user, and no other user may
 * be able to write to it or to exchange it. A symbolic link is refused. Fails with ERR_OUTPUT.
 */
struct error *kept_check(const char *folder);

/*
 * Write the file "ompdd-TIME-@name" with mode 0600, beside its destination, and rename it. Before, remove the oldest
 * files with such names until the new one fits. Other files are left alone. @name has only letters, digits and . _ -.
 * The caller frees *@path_ret, the path of the file. Fails with ERR_OUTPUT; then no part of the file remains.
 */
struct error *kept_write(const char *folder, const struct kept_limits *limits, const char *name, const char *data,
			 size_t len, char **path_ret);

#endif
