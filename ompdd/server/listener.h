/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Listening sockets, created or inherited from systemd, and the accepting of connections. */
#ifndef OMPDD_SERVER_LISTENER_H
#define OMPDD_SERVER_LISTENER_H

#include <uv.h>

#include "base/list.h"
#include "server/address.h"
#include "server/unix_socket.h"
#include "session/session.h"

struct server;

struct listener {
	struct list link;
	struct server *server;
	uv_poll_t poll;
	int fd;
	struct address address; /* as bound: port 0 is replaced by the real one */
	char text[ADDRESS_MAX_TEXT];
	struct unix_socket own; /* a socket file that we created; unused with systemd's sockets */
	enum method_tier tier;	/* the limit of the tier of its clients */
	bool paused;		/* out of file descriptors: try again at the next tick */
};

/* Listen on @address, for @tier at most, and print the ready line. */
MUST_USE struct error *listener_create(struct server *s, const struct address *address, enum method_tier tier);
/* Adopt the @n_fds sockets that systemd passed, from @first_fd on. @names[i] states the protocol. */
MUST_USE struct error *listener_adopt_systemd(struct server *s, int first_fd, int n_fds, char *const *names);
/* Close @l, and remove a socket file that we created. */
void listener_close(struct listener *l);
/* Try again to accept connections after a lack of file descriptors. */
void listener_tick(struct listener *l);

#endif
