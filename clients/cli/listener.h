/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whom a token may be told. */
#ifndef OMPDD_CLI_LISTENER_H
#define OMPDD_CLI_LISTENER_H

#include "base/net_owner.h"

/*
 * Why no token may be sent in clear from @own to @peer; NULL: it may. Not to another machine, whose network would read
 * it; and on this one to nobody but our own user and root: a port is anybody's who takes it. *@hint_ret is what to do.
 * The caller frees what is returned.
 */
char *listener_refuse(const struct net_end *own, const struct net_end *peer, const char **hint_ret);

#endif
