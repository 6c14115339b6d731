/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Connecting to a running daemon. */
#ifndef OMPDD_LIB_CONNECT_H
#define OMPDD_LIB_CONNECT_H

#include "rpc.h"

struct connect_options {
	const char *uri;	/* NULL: $OMPDD_URI, or the usual address */
	const char *token_file; /* NULL: $OMPDD_TOKEN_FILE */
	bool with_events;	/* also over HTTP */
};

/*
 * Connect @r to the daemon at its address, and send the token or credential that it requires. *@is_elsewhere_ret:
 * whether it may run on another machine; also set when the daemon does not answer. Fails with ERR_CONNECT, or ERR_USAGE
 * when no token was named.
 */
struct error *connect_daemon(struct rpc *r, const struct connect_options *o, int *is_elsewhere_ret);

#endif
