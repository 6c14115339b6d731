/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the user of this machine that owns a TCP socket. The daemon checks its clients with it; a client checks its
 * server.
 */
#ifndef OMPDD_BASE_NET_OWNER_H
#define OMPDD_BASE_NET_OWNER_H

#include <sys/socket.h>
#include <sys/types.h>

#include "base/error.h"

/* One end of a connection. IPv4 addresses are ::ffff:a.b.c.d, because an IPv6 socket may use both families. */
struct net_end {
	unsigned char ip[16];
	unsigned short port; /* in host byte order */
};

/* Convert @address. Returns false for families other than IPv4 and IPv6. */
bool net_end_of(const struct sockaddr *address, struct net_end *ret);

/* Get both ends of the connection @fd. Returns false if it is not a connection, or is gone. */
bool net_ends(int fd, struct net_end *own_ret, struct net_end *peer_ret);

/* Return true if the connection of @own and @peer stays in this machine, judged by the addresses. */
bool net_is_local(const struct net_end *own, const struct net_end *peer);

/*
 * Find the user with the socket at @peer of the connection with @own open, on this machine. Returns ERR_UNAUTHORIZED if
 * there is no such socket here, if no process has it open any more, or if the kernel does not answer.
 */
MUST_USE struct error *net_owner_of_peer(const struct net_end *own, const struct net_end *peer, uid_t *ret);

/*
 * The same for the server at @peer. It may not have accepted the connection yet: then returns the user that listens
 * there.
 */
MUST_USE struct error *net_owner_of_server(const struct net_end *own, const struct net_end *peer, uid_t *ret);

#endif
