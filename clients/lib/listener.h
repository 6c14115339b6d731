/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decides which peer may receive a token. */
#ifndef OMPDD_LIB_LISTENER_H
#define OMPDD_LIB_LISTENER_H

#include "base/net_owner.h"

struct refusal {
	char why[256];
	const char *hint; /* the next step for the user; a literal */
};

/*
 * Return true, and the reason in @ret, if no token may be sent in clear from @own to @peer. Another machine is refused,
 * because its network could read the token. On this machine only listeners of our own user and root are accepted,
 * because any user can take a port.
 */
bool listener_refuse(const struct net_end *own, const struct net_end *peer, struct refusal *ret);

#endif
