/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Identifies the peer of a connection from the kernel and /proc. */
#include "server/peer.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/path.h"
#include "server/address.h"

void peer_find_program(struct session_peer *peer)
{
	char path[64], text[PATH_MAX];

	peer->program[0] = '\0';
	if (peer->pid <= 0)
		return;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)peer->pid);
	ssize_t n = readlink(path, text, sizeof(text) - 1);
	if (n <= 0) {
		snprintf(path, sizeof(path), "/proc/%d/comm", (int)peer->pid);
		_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

		n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
		n -= n > 0 && text[n - 1] == '\n';
	}
	text[n > 0 ? n : 0] = '\0';
	snprintf(peer->program, sizeof(peer->program), "%.63s", path_file_name(text));
}

static struct error *refuse_user(void)
{
	return error_hint(error_create(ERR_UNAUTHORIZED, "this ompdd serves uid %u only", geteuid()),
			  "start an ompdd of your own");
}

struct error *peer_of_unix(int fd, struct conn_peer *ret)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len))
		return refuse_user();
	ret->who.uid = cred.uid;
	ret->who.gid = cred.gid;
	ret->who.pid = cred.pid;
	peer_find_program(&ret->who);
	/* Root could trace us anyway. */
	return cred.uid == geteuid() || cred.uid == 0 || geteuid() == 0 ? NULL : refuse_user();
}

struct error *peer_of_inet(int fd, const struct allow_users *metrics_for, struct conn_peer *ret)
{
	struct net_end own, peer;
	uid_t uid;

	if (!net_ends(fd, &own, &peer))
		return error_create(ERR_UNAUTHORIZED, "the other end of the connection is gone");
	ret->end = peer;
	struct error *err = net_owner_of_peer(&own, &peer, &uid);
	if (err && !net_is_local(&own, &peer)) {
		error_destroy(err);
		return NULL;
	}
	if (err)
		return err;
	ret->who.uid = uid;
	bool http = address_is_http(ret->listener);
	if (uid == geteuid() || uid == 0) {
		/* A user whose metrics are open to others needs no token for them either. */
		ret->also_metrics = http && metrics_for->n;
		return NULL;
	}
	ret->only_metrics = http && allow_has_user(metrics_for, uid);
	return ret->only_metrics ? NULL : refuse_user();
}

size_t peer_groups(int fd, gid_t groups[PEER_MAX_GROUPS])
{
	socklen_t len = PEER_MAX_GROUPS * sizeof(groups[0]);

	return getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &len) ? 0 : len / sizeof(groups[0]);
}
