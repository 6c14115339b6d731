/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which user of this machine has a TCP socket: the daemon asks it of who connects, a client of who listens. */
#ifndef OMPDD_BASE_NET_OWNER_H
#define OMPDD_BASE_NET_OWNER_H

#include <sys/socket.h>
#include <sys/types.h>

#include "base/error.h"

/* An end of a connection. IPv4 is ::ffff:a.b.c.d, as a socket of IPv6 may have either. */
struct net_end {
	unsigned char ip[16];
	unsigned short port; /* of this machine's byte order */
};

/* False for another family than IPv4 and IPv6. */
bool net_end_of(const struct sockaddr *address, struct net_end *ret);

/* Both ends of the connection @fd; false when it is none, or is gone. */
bool net_ends(int fd, struct net_end *own_ret, struct net_end *peer_ret);

/* Whether what connects @own and @peer stays in this machine, as far as the addresses tell. */
bool net_is_local(const struct net_end *own, const struct net_end *peer);

/*
 * The user who has the socket at @peer of the connection with @own open, on this machine. ERR_UNAUTHORIZED: there is no
 * such socket here, nobody has it open any more, or the kernel does not say.
 */
MUST_USE struct error *net_owner_of_peer(const struct net_end *own, const struct net_end *peer, uid_t *ret);

/*
 * The same for the server at @peer, which may not have accepted the connection yet: then it is the user who listens
 * there.
 */
MUST_USE struct error *net_owner_of_server(const struct net_end *own, const struct net_end *peer, uid_t *ret);

#endif
