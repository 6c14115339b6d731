/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Guests: network connections of peers that have not authenticated yet. They use free places, and leave when another
 * connection needs one. Connections without authentication therefore cannot block other clients.
 */
#ifndef OMPDD_SERVER_GUEST_H
#define OMPDD_SERVER_GUEST_H

#include "base/list.h"
#include "base/net_owner.h"

/* The guests of one daemon. */
struct guests {
	struct list all; /* oldest first */
	size_t n;
	size_t n_leaving; /* shut down, but not closed yet */
};

/* Part of a connection. */
struct guest {
	struct list link;
	struct guests *of; /* NULL: not a guest, or no longer one */
	bool leaving;
	int fd;
	unsigned char ip[16];
};

void guests_init(struct guests *g);

/* Add @guest with the socket @fd, which stays the caller's. */
void guest_begin(struct guests *g, struct guest *guest, int fd, const struct net_end *peer);

/* Remove @guest: it has authenticated or closed. Harmless on all zeroes (not a guest). */
void guest_end(struct guest *guest);

/*
 * Shut down the socket of one guest: the oldest one of the address with the most guests. Its connection then ends as if
 * the peer had closed it. Returns false if there are no guests.
 */
bool guests_send_one_away(struct guests *g);

#endif
