/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A unix socket's file that is the daemon's: made private, held by a lock beside it, removed at the end. One that a
 * killed daemon has left is taken over, one that somebody serves is not.
 */
#ifndef OMPDD_SERVER_UNIX_SOCKET_H
#define OMPDD_SERVER_UNIX_SOCKET_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "server/address.h"

/* Begins as UNIX_SOCKET_NONE; in the end unix_socket_remove(). */
struct unix_socket {
	const char *path; /* in the address that it was bound to; NULL: nothing is there to be removed */
	char *lock_path;  /* held locked; owned */
	int lock_fd;	  /* -1: no lock is held */
};

#define UNIX_SOCKET_NONE ((struct unix_socket){.lock_fd = -1})

/*
 * Bind @fd to @a, which outlives @u, for us alone; then let the group of the name @group (NULL: none) have it, and give
 * it @mode (0: 0600). ERR_LIMIT_EXCEEDED: somebody listens there; ERR_UNAUTHORIZED: others could replace it.
 */
MUST_USE struct error *unix_socket_bind(struct unix_socket *u, int fd, const struct address *a, const char *group,
					mode_t mode);
/* Remove what was made, the socket before its lock is free. Also after a failure. */
void unix_socket_remove(struct unix_socket *u);

/* Whether a socket of @mode is for others than us, too. */
bool unix_socket_is_shared(mode_t mode);

/*
 * "unix:$XDG_RUNTIME_DIR/ompdd/ompdd.sock"; makes the directory, which others may pass through where @mode, that of the
 * socket (0: 0600), lets them connect.
 */
MUST_USE struct error *unix_socket_default_address(mode_t mode, struct address *ret);

#endif
