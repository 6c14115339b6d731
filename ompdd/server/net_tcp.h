/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whose a TCP connection on this machine is, by /proc/net/tcp and tcp6. */
#ifndef OMPDD_SERVER_NET_TCP_H
#define OMPDD_SERVER_NET_TCP_H

#include <stdint.h>
#include <sys/socket.h>

#include "base/error.h"

/* Lines of the kernel have 150 bytes and a few; longer ones are skipped. */
#define NET_TCP_MAX_LINE 256

/* An end of a connection. IPv4 is ::ffff:a.b.c.d, as a socket of IPv6 may have either. */
struct net_tcp_end {
	unsigned char ip[16];
	uint16_t port;
};

/* One line: a socket, seen from its own side. */
struct net_tcp_socket {
	struct net_tcp_end local;
	struct net_tcp_end remote;
	uid_t uid;
	uint64_t inode; /* 0: nobody has it open any more, and its uid says nothing */
};

/* False when the line of @len bytes, without its newline, is not what the kernel writes of a socket. */
bool net_tcp_parse(const char *line, size_t len, struct net_tcp_socket *ret);

/* The search for one socket in a text that comes in pieces. */
struct net_tcp_search {
	struct net_tcp_end local;
	struct net_tcp_end remote;
	bool found;
	uid_t uid; /* when found */
	char line[NET_TCP_MAX_LINE];
	size_t len; /* of the line that is not complete yet; more than fits: it is skipped */
};

/* The next @len bytes of the text. Returns whether it is found. */
bool net_tcp_search_feed(struct net_tcp_search *s, const char *data, size_t len);

/*
 * The user who has the other end of the connection @fd open, on this machine. ERR_UNAUTHORIZED: it cannot be told, as
 * the other end is closed, or /proc does not say.
 */
MUST_USE struct error *net_tcp_peer_uid(int fd, uid_t *ret);

#endif
