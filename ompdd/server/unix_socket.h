/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The file of the daemon's own unix socket: created private, protected by a lock beside it, removed at the end. A
 * socket that a killed daemon left is taken over; a socket in use is not.
 */
#ifndef OMPDD_SERVER_UNIX_SOCKET_H
#define OMPDD_SERVER_UNIX_SOCKET_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "server/address.h"

/* Initialize with UNIX_SOCKET_NONE; release with unix_socket_remove(). */
struct unix_socket {
	const char *path; /* part of the bound address; NULL: nothing to remove */
	char *lock_path;  /* locked; owned */
	int lock_fd;	  /* -1: not locked */
};

#define UNIX_SOCKET_NONE ((struct unix_socket){.lock_fd = -1})

/*
 * Bind @fd to @a, which must outlive @u, for our user alone. Then give it to the group named @group (NULL: no group)
 * and set @mode (0: 0600). Returns ERR_LIMIT_EXCEEDED if another process listens there, ERR_UNAUTHORIZED if other users
 * could replace the file.
 */
MUST_USE struct error *unix_socket_bind(struct unix_socket *u, int fd, const struct address *a, const char *group,
					mode_t mode);
/* Remove the created files, the socket before its lock is released. Also call it after a failure. */
void unix_socket_remove(struct unix_socket *u);

/* Return true if @mode admits other users than ours. */
bool unix_socket_is_shared(mode_t mode);

/*
 * Return "unix:FOLDER/ompdd.sock" with the folder of socket_folder_find(), and create the folder. Other users may
 * traverse it if @mode, the mode of the socket (0: 0600), lets them connect.
 */
MUST_USE struct error *unix_socket_default_address(mode_t mode, struct address *ret);

#endif
