/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Output files of commands. A regular file is written beside its destination and renamed: its readers see the old
 * file or the whole new one. Streams (pipes, terminals, descriptors) are written directly.
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
	/* A file that output_begin() has created beside the destination; "": none. */
	char beside[OUTPUT_BESIDE_LEN];
	int fd; /* its descriptor */
};

/*
 * Resolve @path and check that it can be written, without creating or changing a file. "-", /dev/stdout,
 * /dev/stderr, /dev/fd/N and /proc/self/fd/N are our own descriptors. A pipe must have a reader. Block devices,
 * sockets and folders are refused. Symbolic links are followed unless another user could have planted them: as the
 * kernel does with fs.protected_symlinks. In addition, a link in the last place must belong to us or to root. Call
 * output_close() also after a failure. Fails with ERR_CONNECT.
 */
struct error *output_open(struct output *o, const char *path);

/*
 * Write all @len bytes. A regular file keeps the permissions, and if allowed the owner, of the file that it
 * replaces. After a failure (a full disk) the old file is unchanged, and no temporary file remains.
 */
struct error *output_write(struct output *o, const char *data, size_t len);

/*
 * Write a regular file in pieces: create the file o->fd beside the destination, readable by its owner only. The caller
 * writes it; output_place() closes it and renames it. Until then output_close() removes it. The caller keeps signals
 * from ending this process meanwhile. Streams are refused.
 */
struct error *output_begin(struct output *o);
struct error *output_place(struct output *o);

/* Remove the regular file at the destination; a missing file is not an error. */
struct error *output_remove_old(struct output *o);

void output_close(struct output *o);

/* Create a file, or a folder, in the folder of the destination. Returns its descriptor; -1: see errno. */
int output_create_beside(const struct output *o, int is_folder, char name[OUTPUT_BESIDE_LEN]);

/* Return the failure "cannot write PATH: why". */
struct error *output_cannot_write(const struct output *o, const char *hint, const char *why);

/* Write all @len bytes. Returns NULL, or the reason of the failure. */
const char *output_write_data(int fd, const char *data, size_t len);

#endif
