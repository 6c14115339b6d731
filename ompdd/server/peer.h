/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Identifies the peer of a connection, and checks whether its user is served. */
#ifndef OMPDD_SERVER_PEER_H
#define OMPDD_SERVER_PEER_H

#include <sys/types.h>

#include "base/error.h"
#include "base/net_owner.h"
#include "server/allow.h"
#include "session/session.h"

/* The maximum number of a peer's groups in rules of --allow. */
#define PEER_MAX_GROUPS 1024

struct address;

struct conn_peer {
	struct session_peer who;
	bool authenticated;
	bool only_metrics; /* another user of this machine with access to /metrics only, without a token */
	/* our own user or root: needs no token for /metrics, because --metrics-for is set */
	bool also_metrics;
	struct net_end end;		/* the peer's address on the network; else all zeroes */
	const struct address *listener; /* valid only while the connection is being opened */
};

/*
 * Set @peer->program for @peer->pid: the name of its executable file, or the process's own name if we may not read
 * that. The name is that at the time of the connection.
 */
void peer_find_program(struct session_peer *peer);

/*
 * Get the peer of the unix socket @fd from the kernel. Returns ERR_UNAUTHORIZED if this daemon does not serve that
 * user.
 */
MUST_USE struct error *peer_of_unix(int fd, struct conn_peer *ret);
/* Get the groups of a unix socket's peer from the kernel. Returns their number; 0 if they are unknown. */
size_t peer_groups(int fd, gid_t groups[PEER_MAX_GROUPS]);

/*
 * Get the peer of @fd, which came over the network to @ret->listener. A peer with the token acts as the daemon's user.
 * A peer on this machine must therefore be that user or root, whichever address it connected to. Even a daemon of root
 * serves only root here. Leaves *@ret as it is for a peer on another machine. Returns ERR_UNAUTHORIZED for other users,
 * except users of @metrics_for over HTTP.
 */
MUST_USE struct error *peer_of_inet(int fd, const struct allow_users *metrics_for, struct conn_peer *ret);

#endif
