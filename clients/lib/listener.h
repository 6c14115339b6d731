/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decides which peer may receive a token. */
#ifndef OMPDD_LIB_LISTENER_H
#define OMPDD_LIB_LISTENER_H

#include "base/net_owner.h"

/*
 * Return why no token may be sent in clear from @own to @peer; NULL: it may be sent. Another machine is refused,
 * because its network could read the token. On this machine only listeners of our own user and root are accepted,
 * because any user can take a port. *@hint_ret is the next step for the user. The caller frees the returned text.
 */
char *listener_refuse(const struct net_end *own, const struct net_end *peer, const char **hint_ret);

#endif
