/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks the listener of a connection before a token is sent. */
#include "listener.h"

#include <stdio.h>
#include <unistd.h>

bool listener_refuse(const struct net_end *own, const struct net_end *peer, struct refusal *ret)
{
	uid_t uid;

	if (!net_is_local(own, peer)) {
		ret->hint = "have ompdd listen on tls: or https: there, or forward the port with ssh -L";
		snprintf(ret->why, sizeof(ret->why), "the token would go to another machine in plain text");
		return true;
	}
	struct error *err = net_owner_of_server(own, peer, &uid);
	if (!err && (uid == geteuid() || uid == 0))
		return false;
	ret->hint = "is ompdd running? unix:PATH, or tls: with its token file, is safe from this";
	if (err)
		snprintf(ret->why, sizeof(ret->why), "%s", err->message);
	else
		snprintf(ret->why, sizeof(ret->why), "another user (uid %u) listens there, and is not told the token",
			 uid);
	error_destroy(err);
	return true;
}
