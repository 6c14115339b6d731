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

/*
 * A file that another process writes: kept_begin() creates it and locks the folder, kept_place() gives it the name
 * "ompdd-TIME-@name" and removes the oldest files until all fit. Until then kept_abandon() removes it; call it also
 * after a failure. Fails as kept_write().
 */
struct kept_file {
	const char *folder; /* borrowed */
	int folder_fd, fd;  /* -1: not open */
};
struct error *kept_begin(struct kept_file *k, const char *folder);
struct error *kept_place(struct kept_file *k, const struct kept_limits *limits, const char *name, char **path_ret);
void kept_abandon(struct kept_file *k);

#endif
