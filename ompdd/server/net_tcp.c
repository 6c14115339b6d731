/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * /proc/net/tcp and tcp6: the one place where an unprivileged process learns whose the other end of a loopback
 * connection is, which SO_PEERCRED tells of unix sockets only.
 */
#include "server/net_tcp.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

/* Of a file: some 100000 sockets. */
#define MAX_FILE (16u << 20)
/* The list is not a snapshot: a socket may be missed while others come and go. */
#define ATTEMPTS 3
/* How the kernel numbers states. */
#define STATE_LISTEN 0x0a

static const unsigned char v4_prefix[12] = {[10] = 0xff, [11] = 0xff};

struct cursor {
	const char *at;
	const char *end;
};

static bool take_char(struct cursor *c, char wanted)
{
	if (c->at == c->end || *c->at != wanted)
		return false;
	c->at++;
	return true;
}

static void skip_blanks(struct cursor *c)
{
	while (c->at < c->end && *c->at == ' ')
		c->at++;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return 16;
}

/* At least one digit, and no more than @max; false also beyond @limit. */
static bool take_number(struct cursor *c, unsigned base, unsigned max, uint64_t limit, uint64_t *ret)
{
	uint64_t value = 0;
	unsigned n = 0;

	for (; n < max && c->at < c->end; n++, c->at++) {
		unsigned digit = (unsigned)digit_of(*c->at);

		if (digit >= base)
			break;
		if (__builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, digit, &value))
			return false;
	}
	*ret = value;
	return n && value <= limit;
}

static bool take_field(struct cursor *c, unsigned base, uint64_t limit, uint64_t *ret)
{
	skip_blanks(c);
	return take_number(c, base, 20, limit, ret) && (c->at == c->end || *c->at == ' ');
}

/* "0100007F:1F90": words in the byte order of this machine; the port is a number. */
static bool take_end(struct cursor *c, struct net_tcp_end *ret)
{
	uint32_t words[4];
	uint64_t value;
	size_t n = 0;

	skip_blanks(c);
	for (; n < 4 && c->at < c->end && *c->at != ':'; n++) {
		const char *begin = c->at;

		if (!take_number(c, 16, 8, UINT32_MAX, &value) || c->at - begin != 8)
			return false;
		words[n] = (uint32_t)value;
	}
	if (!take_char(c, ':') || (n != 1 && n != 4))
		return false;
	if (n == 1) {
		memcpy(ret->ip, v4_prefix, sizeof(v4_prefix));
		memcpy(ret->ip + sizeof(v4_prefix), words, 4);
	} else {
		memcpy(ret->ip, words, sizeof(ret->ip));
	}
	const char *begin = c->at;
	if (!take_number(c, 16, 4, UINT16_MAX, &value) || c->at - begin != 4)
		return false;
	ret->port = (uint16_t)value;
	return true;
}

/* A field that does not matter. */
static bool skip_field(struct cursor *c)
{
	skip_blanks(c);
	const char *begin = c->at;
	while (c->at < c->end && *c->at != ' ')
		c->at++;
	return c->at > begin;
}

/* sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode … */
bool net_tcp_parse(const char *line, size_t len, struct net_tcp_socket *ret)
{
	struct cursor c = {line, line + len};
	struct net_tcp_socket s;
	uint64_t number, state, uid;

	skip_blanks(&c);
	if (!take_number(&c, 10, 20, UINT64_MAX, &number) || !take_char(&c, ':'))
		return false;
	if (!take_end(&c, &s.local) || !take_end(&c, &s.remote) || !take_field(&c, 16, 0xff, &state))
		return false;
	if (!skip_field(&c) || !skip_field(&c) || !skip_field(&c))
		return false;
	if (!take_field(&c, 10, UINT32_MAX, &uid) || !skip_field(&c) || !take_field(&c, 10, UINT64_MAX, &s.inode))
		return false;
	if (state == STATE_LISTEN)
		return false;
	s.uid = (uid_t)uid;
	*ret = s;
	return true;
}

/* False for another family than IPv4 and IPv6. */
static bool end_of(const struct sockaddr *sa, struct net_tcp_end *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (sa->sa_family == AF_INET) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)sa;

		memcpy(ret->ip, v4_prefix, sizeof(v4_prefix));
		memcpy(ret->ip + sizeof(v4_prefix), &in->sin_addr, 4);
		ret->port = ntohs(in->sin_port);
		return true;
	}
	if (sa->sa_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)(const void *)sa;

		memcpy(ret->ip, &in6->sin6_addr, sizeof(ret->ip));
		ret->port = ntohs(in6->sin6_port);
		return true;
	}
	return false;
}

static bool is_same_end(const struct net_tcp_end *a, const struct net_tcp_end *b)
{
	return a->port == b->port && !memcmp(a->ip, b->ip, sizeof(a->ip));
}

static void search_line(struct net_tcp_search *s)
{
	struct net_tcp_socket socket;

	/* A socket that is closed has uid 0, whose ever it was. */
	if (s->len > sizeof(s->line) || !net_tcp_parse(s->line, s->len, &socket) || !socket.inode)
		return;
	if (!is_same_end(&socket.local, &s->local) || !is_same_end(&socket.remote, &s->remote))
		return;
	s->found = true;
	s->uid = socket.uid;
}

bool net_tcp_search_feed(struct net_tcp_search *s, const char *data, size_t len)
{
	while (len && !s->found) {
		const char *newline = memchr(data, '\n', len);
		size_t n = newline ? (size_t)(newline - data) : len;

		if (s->len + n <= sizeof(s->line))
			memcpy(s->line + s->len, data, n);
		s->len = s->len + n <= sizeof(s->line) ? s->len + n : sizeof(s->line) + 1;
		if (!newline)
			break;
		search_line(s);
		s->len = 0;
		data += n + 1;
		len -= n + 1;
	}
	return s->found;
}

/* False: not there, or the file cannot be read. */
static bool search_file(struct net_tcp_search *s, const char *path)
{
	char buf[32768];
	size_t total = 0;

	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	s->len = 0;
	while (total < MAX_FILE) {
		ssize_t n = read(fd, buf, sizeof(buf));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		if (net_tcp_search_feed(s, buf, (size_t)n))
			return true;
		total += (size_t)n;
	}
	return false;
}

struct error *net_tcp_peer_uid(int fd, uid_t *ret)
{
	struct sockaddr_storage own, peer;
	socklen_t own_len = sizeof(own), peer_len = sizeof(peer);
	struct net_tcp_search s = {0};

	if (getsockname(fd, (struct sockaddr *)&own, &own_len) ||
	    getpeername(fd, (struct sockaddr *)&peer, &peer_len) || !end_of((struct sockaddr *)&own, &s.remote) ||
	    !end_of((struct sockaddr *)&peer, &s.local))
		return error_create(ERR_UNAUTHORIZED, "the other end of the connection is gone");
	for (int i = 0; i < ATTEMPTS; i++) {
		/* A socket of IPv6 that connects to ::ffff:127.0.0.1 is in the other file. */
		if (search_file(&s, "/proc/net/tcp") || search_file(&s, "/proc/net/tcp6")) {
			*ret = s.uid;
			return NULL;
		}
	}
	return error_hint(error_create(ERR_UNAUTHORIZED,
				       "whose the connection is cannot be told: its other end is closed, or "
				       "/proc/net/tcp does not show it"),
			  "use --listen unix:PATH");
}
