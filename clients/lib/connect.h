/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Connecting to a running daemon. */
#ifndef OMPDD_LIB_CONNECT_H
#define OMPDD_LIB_CONNECT_H

#include "args.h"
#include "rpc.h"

/*
 * Connect @r to the daemon at -s, $OMPDD_URI or its usual address, and send the token or credential that it
 * requires. *@is_elsewhere_ret: whether it may run on another machine; also set when the daemon does not answer.
 * Fails with ERR_CONNECT, or ERR_USAGE when no token was named.
 */
struct error *connect_running(struct rpc *r, const struct args *args, int *is_elsewhere_ret);

#endif
