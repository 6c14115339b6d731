/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The way to a daemon that runs already. */
#ifndef OMPDD_CLI_CONNECT_H
#define OMPDD_CLI_CONNECT_H

#include "args.h"
#include "rpc.h"

/*
 * Connect @r to the daemon that -s, $OMPDD_URI or its usual place names, and show it the token or credential that it
 * wants. *@is_elsewhere_ret: it may be on another machine; also set when it does not answer. EXIT_CONNECT, and
 * EXIT_USAGE: no token was named.
 */
struct failure *connect_running(struct rpc *r, const struct args *args, int *is_elsewhere_ret);

#endif
