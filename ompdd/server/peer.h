/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who is at the other end of a connection, and whether that user is served at all. */
#ifndef OMPDD_SERVER_PEER_H
#define OMPDD_SERVER_PEER_H

#include <sys/types.h>

#include "base/error.h"
#include "base/net_owner.h"
#include "server/allow.h"
#include "session/session.h"

/* Of a peer, in rules of --allow. */
#define PEER_MAX_GROUPS 1024

struct address;

struct conn_peer {
	struct session_peer who;
	bool authenticated;
	bool only_metrics;		/* another user of this machine, who may read /metrics without a token */
	bool also_metrics;		/* ourselves or root, who need no token for /metrics where others need none */
	struct net_end end;		/* of what came over the network; else all zeroes */
	const struct address *listener; /* outlives the connection's beginning only */
};

/*
 * Set @peer->program for @peer->pid: the name of its executable's file, or, where we may not see that, what it calls
 * itself. It is what it was when it connected.
 */
void peer_find_program(struct session_peer *peer);

/* The peer of the unix socket @fd, as the kernel names it. ERR_UNAUTHORIZED: this daemon does not serve that user. */
MUST_USE struct error *peer_of_unix(int fd, struct conn_peer *ret);
/* What the kernel knows of the groups of a unix socket's peer; 0: nothing. */
size_t peer_groups(int fd, gid_t groups[PEER_MAX_GROUPS]);

/*
 * The peer of @fd, which came over the network to @ret->listener. Who knows the token acts as us, so who is on this
 * machine must be us, whichever address was connected to: also a root daemon serves root only here. Who is elsewhere is
 * left as @ret has it. ERR_UNAUTHORIZED, but for those of @metrics_for where it is HTTP.
 */
MUST_USE struct error *peer_of_inet(int fd, const struct allow_users *metrics_for, struct conn_peer *ret);

#endif
