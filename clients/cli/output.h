/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The files that commands write. A regular file is written beside its destination and renamed, so its readers see the
 * old file or the whole new one. Streams (pipes, terminals, descriptors) are written as they are.
 */
#ifndef OMPDD_CLI_OUTPUT_H
#define OMPDD_CLI_OUTPUT_H

#include <limits.h>

#include "failure.h"

/* The name of a file until it is renamed: ".ompdctl-0123abcd". */
#define OUTPUT_BESIDE_LEN 24

struct output {
	const char *path; /* as the user named it; borrowed */
	int stream;	  /* an open stream; -1: a regular file */
	int is_own;	  /* output_close() closes the stream */
	int folder;	  /* of a regular file: O_PATH; else -1 */
	char name[NAME_MAX + 1];
};

/*
 * Find where @path leads and check that it can be written; nothing is created or changed. "-", /dev/stdout,
 * /dev/stderr, /dev/fd/N and /proc/self/fd/N are our own descriptors. A pipe needs a reader now. Block devices, sockets
 * and folders are refused. Symbolic links are followed unless another user could have planted them: as the kernel does
 * with fs.protected_symlinks, and a link in the last place must belong to us or to root. After an error, too,
 * output_close() is called. EXIT_CONNECT.
 */
struct failure *output_open(struct output *o, const char *path);

/*
 * Write it all. A regular file keeps the permissions, and as far as allowed the owner, of the file that it replaces.
 * After an error (a full disk), the old file is as it was and nothing else is left.
 */
struct failure *output_write(struct output *o, const char *data, size_t len);

/* Remove the regular file that is there; no error if there is none. */
struct failure *output_remove_old(struct output *o);

void output_close(struct output *o);

/* Create a file, or a folder, in the folder of the destination; -1: errno says why not. */
int output_create_beside(const struct output *o, int is_folder, char name[OUTPUT_BESIDE_LEN]);

/* "cannot write PATH: why" */
struct failure *output_cannot_write(const struct output *o, const char *hint, const char *why);

#endif
