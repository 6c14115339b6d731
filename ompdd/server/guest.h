/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Guests: connections over the network whose peers have not shown yet that they may ask anything. They take what room
 * there is, and go when somebody else needs it: who only connects keeps nobody out.
 */
#ifndef OMPDD_SERVER_GUEST_H
#define OMPDD_SERVER_GUEST_H

#include "base/list.h"
#include "base/net_owner.h"

/* Of one daemon. */
struct guests {
	struct list all; /* the oldest first */
	size_t n;
	size_t n_leaving; /* sent away, and not gone yet */
};

/* In a connection. */
struct guest {
	struct list link;
	struct guests *of; /* NULL: it is no guest, or none any more */
	bool leaving;
	int fd;
	unsigned char ip[16];
};

void guests_init(struct guests *g);

/* @guest begins, on the socket @fd, which stays the caller's. */
void guest_begin(struct guests *g, struct guest *guest, int fd, const struct net_end *peer);

/* It has shown what it had to, or is gone. Harmless on one that is no guest (all zeroes). */
void guest_end(struct guest *guest);

/*
 * Send one away: of the address that has most of them, the oldest. Its socket is shut down, so that whoever serves it
 * comes to its end as if the peer had closed it. False: there is none.
 */
bool guests_send_one_away(struct guests *g);

#endif
