/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks the listener of a connection before a token is sent. */
#include "listener.h"

#include <unistd.h>

#include "text.h"

char *listener_refuse(const struct net_end *own, const struct net_end *peer, const char **hint_ret)
{
	struct buf t = {0};
	uid_t uid;

	if (!net_is_local(own, peer)) {
		*hint_ret = "have ompdd listen on tls: or https: there, or forward the port with ssh -L";
		text_add(&t, "the token would go to another machine in plain text");
		return text_take(&t);
	}
	struct error *err = net_owner_of_server(own, peer, &uid);
	if (!err && (uid == geteuid() || uid == 0))
		return NULL;
	*hint_ret = "is ompdd running? -s unix:PATH, or tls: with its token file, is safe from this";
	if (err)
		text_add(&t, err->message);
	else
		text_printf(&t, "another user (uid %u) listens there, and is not told the token", uid);
	error_destroy(err);
	return text_take(&t);
}
