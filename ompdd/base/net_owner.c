/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Queries the kernel for a single socket (sock_diag(7)), at a constant cost. The alternative, /proc/net/tcp, lists all
 * sockets, and any user can make that list long.
 */
#include "base/net_owner.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>

#include "base/cleanup.h"

/* The kernel's number of the state. */
#define STATE_LISTEN 10
/* The kernel answers before send(2) returns; this is the timeout for a kernel that does not. */
#define ANSWER_S 2

static const unsigned char v4_prefix[12] = {[10] = 0xff, [11] = 0xff};

/* The kernel's answer about a socket. */
struct found {
	uid_t uid;
	unsigned int inode; /* 0: no process has it open */
	unsigned int state;
	struct net_end local, remote;
};

static bool is_v4(const struct net_end *e)
{
	return !memcmp(e->ip, v4_prefix, sizeof(v4_prefix));
}

static bool is_same(const struct net_end *a, const struct net_end *b)
{
	return a->port == b->port && !memcmp(a->ip, b->ip, sizeof(a->ip));
}

bool net_end_of(const struct sockaddr *address, struct net_end *ret)
{
	struct net_end e = {0};

	if (address->sa_family == AF_INET) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)address;

		memcpy(e.ip, v4_prefix, sizeof(v4_prefix));
		memcpy(e.ip + sizeof(v4_prefix), &in->sin_addr, 4);
		e.port = ntohs(in->sin_port);
	} else if (address->sa_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)(const void *)address;

		memcpy(e.ip, &in6->sin6_addr, sizeof(e.ip));
		e.port = ntohs(in6->sin6_port);
	} else {
		return false;
	}
	*ret = e;
	return true;
}

bool net_ends(int fd, struct net_end *own_ret, struct net_end *peer_ret)
{
	struct sockaddr_storage own, peer;
	socklen_t own_len = sizeof(own), peer_len = sizeof(peer);

	return !getsockname(fd, (struct sockaddr *)&own, &own_len) &&
	       !getpeername(fd, (struct sockaddr *)&peer, &peer_len) &&
	       net_end_of((const struct sockaddr *)&own, own_ret) &&
	       net_end_of((const struct sockaddr *)&peer, peer_ret);
}

bool net_is_local(const struct net_end *own, const struct net_end *peer)
{
	static const unsigned char v6_loopback[16] = {[15] = 1};

	/*
	 * A client that connects to an address of this machine gets the same address as its own, unless it selects
	 * another.
	 */
	if (!memcmp(own->ip, peer->ip, sizeof(own->ip)))
		return true;
	return is_v4(peer) ? peer->ip[12] == 127 : !memcmp(peer->ip, v6_loopback, sizeof(v6_loopback));
}

/* Convert an address to the kernel's form: IPv4 uses only the first word. */
static void put_ip(const struct net_end *e, bool v4, __be32 *words)
{
	memcpy(words, v4 ? e->ip + sizeof(v4_prefix) : e->ip, v4 ? 4 : 16);
}

static void take_ip(struct net_end *e, bool v4, const __be32 *words)
{
	if (v4)
		memcpy(e->ip, v4_prefix, sizeof(v4_prefix));
	memcpy(v4 ? e->ip + sizeof(v4_prefix) : e->ip, words, v4 ? 4 : 16);
}

static bool send_question(int fd, const struct net_end *local, const struct net_end *remote)
{
	const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	bool v4 = is_v4(local);
	struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 body;
	} q = {
		.head = {.nlmsg_len = sizeof(q), .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
		.body = {.sdiag_family = v4 ? AF_INET : AF_INET6,
			 .sdiag_protocol = IPPROTO_TCP,
			 .idiag_states = UINT32_MAX,
			 .id = {.idiag_sport = htons(local->port),
				.idiag_dport = htons(remote->port),
				.idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}},
	};

	put_ip(local, v4, q.body.id.idiag_src);
	put_ip(remote, v4, q.body.id.idiag_dst);
	return sendto(fd, &q, sizeof(q), 0, (const struct sockaddr *)&kernel, sizeof(kernel)) == sizeof(q);
}

/* Query the kernel for the socket with exactly these ends. It may find no socket, or a listening one instead. */
static bool query_socket(const struct net_end *local, const struct net_end *remote, struct found *ret)
{
	const struct timeval limit = {.tv_sec = ANSWER_S};
	union {
		struct nlmsghdr head;
		char bytes[1024];
	} a;

	_cleanup_close_ int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) ||
	    !send_question(fd, local, remote))
		return false;
	ssize_t n;
	do
		n = recv(fd, &a, sizeof(a), 0);
	while (n < 0 && errno == EINTR);
	if (n < (ssize_t)(NLMSG_HDRLEN + sizeof(struct inet_diag_msg)) || a.head.nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return false;
	const struct inet_diag_msg *m = NLMSG_DATA(&a.head);
	bool v4 = m->idiag_family == AF_INET;
	*ret = (struct found){.uid = m->idiag_uid, .inode = m->idiag_inode, .state = m->idiag_state};
	take_ip(&ret->local, v4, m->id.idiag_src);
	take_ip(&ret->remote, v4, m->id.idiag_dst);
	ret->local.port = ntohs(m->id.idiag_sport);
	ret->remote.port = ntohs(m->id.idiag_dport);
	return true;
}

static bool query_connection(const struct net_end *local, const struct net_end *remote, struct found *ret)
{
	return query_socket(local, remote, ret) && ret->state != STATE_LISTEN && is_same(&ret->local, local) &&
	       is_same(&ret->remote, remote);
}

static struct error *refuse_unknown_owner(void)
{
	return error_hint(
		error_create(ERR_UNAUTHORIZED,
			     "cannot determine the owner of the connection: its other end is closed or not on "
			     "this machine, or the kernel does not report it (sock_diag)"),
		"use a unix: address");
}

struct error *net_owner_of_peer(const struct net_end *own, const struct net_end *peer, uid_t *ret)
{
	struct found f;

	/* Without an inode no process has the socket open. Its uid is then 0, whoever its owner was. */
	if (!query_connection(peer, own, &f) || !f.inode)
		return refuse_unknown_owner();
	*ret = f.uid;
	return NULL;
}

struct error *net_owner_of_server(const struct net_end *own, const struct net_end *peer, uid_t *ret)
{
	const struct net_end anybody = {0};
	struct found f, listener;

	if (query_connection(peer, own, &f) && f.inode) {
		*ret = f.uid;
		return NULL;
	}
	struct net_end any_v4 = anybody;
	memcpy(any_v4.ip, v4_prefix, sizeof(v4_prefix));
	if (!query_socket(peer, is_v4(peer) ? &any_v4 : &anybody, &listener) || listener.state != STATE_LISTEN ||
	    listener.local.port != peer->port)
		return refuse_unknown_owner();
	/*
	 * Query again: a connection that exists and is still not accepted waits at that listener. It would have been
	 * closed with an earlier listener.
	 */
	if (!query_connection(peer, own, &f))
		return refuse_unknown_owner();
	*ret = f.inode ? f.uid : listener.uid;
	return NULL;
}
