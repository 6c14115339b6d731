/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of base/net_owner: the owners of real connections. */
#include "check_main.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/net_owner.h"

static struct error *peer_uid(int fd, uid_t *ret)
{
	struct net_end own, peer;

	return net_ends(fd, &own, &peer) ? net_owner_of_peer(&own, &peer, ret)
					 : error_create(ERR_UNAUTHORIZED, "it has no other end");
}

static struct error *server_uid(int fd, uid_t *ret)
{
	struct net_end own, peer;

	return net_ends(fd, &own, &peer) ? net_owner_of_server(&own, &peer, ret)
					 : error_create(ERR_UNAUTHORIZED, "it has no other end");
}

static int listener_of(int family, struct sockaddr_storage *address, socklen_t *len)
{
	struct sockaddr_in *in = (struct sockaddr_in *)address;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)address;

	memset(address, 0, sizeof(*address));
	address->ss_family = (sa_family_t)family;
	if (family == AF_INET)
		in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		in6->sin6_addr = in6addr_loopback;
	*len = family == AF_INET ? sizeof(*in) : sizeof(*in6);
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)address, *len) || listen(fd, 4))
		return -1;
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)address, len), 0);
	return fd;
}

static void check_connection(int listener, int client, const struct sockaddr *to, socklen_t len)
{
	uid_t uid = (uid_t)-1;

	ck_assert_int_eq(connect(client, to, len), 0);
	/* First no process has accepted the connection, then this process has. */
	ck_assert_no_err(server_uid(client, &uid));
	ck_assert_uint_eq(uid, geteuid());
	int fd = accept(listener, NULL, NULL);
	ck_assert_int_ge(fd, 0);
	ck_assert_no_err(server_uid(client, &uid));
	ck_assert_uint_eq(uid, geteuid());
	uid = (uid_t)-1;
	ck_assert_no_err(peer_uid(fd, &uid));
	ck_assert_uint_eq(uid, geteuid());
	/* A half-closed connection still counts as open. */
	shutdown(client, SHUT_WR);
	ck_assert_no_err(peer_uid(fd, &uid));
	ck_assert_uint_eq(uid, geteuid());
	close(client);
	ck_assert_err(peer_uid(fd, &uid), ERR_UNAUTHORIZED);
	close(fd);
}

START_TEST(test_connections)
{
	static const int families[] = {AF_INET, AF_INET6};
	struct sockaddr_storage address;
	socklen_t len;

	int listener = listener_of(families[_i], &address, &len);
	if (listener < 0 && families[_i] == AF_INET6)
		CHECK_SKIP("this machine has no IPv6");
	int client = socket(families[_i], SOCK_STREAM, 0);
	check_connection(listener, client, (struct sockaddr *)&address, len);
	close(listener);
}
END_TEST

START_TEST(test_connection_of_a_mapped_address)
{
	struct sockaddr_storage address;
	struct sockaddr_in6 to = {.sin6_family = AF_INET6};
	socklen_t len;

	int listener = listener_of(AF_INET, &address, &len);
	to.sin6_port = ((struct sockaddr_in *)&address)->sin_port;
	inet_pton(AF_INET6, "::ffff:127.0.0.1", &to.sin6_addr);
	int client = socket(AF_INET6, SOCK_STREAM, 0);
	if (client < 0)
		CHECK_SKIP("this machine has no IPv6");
	check_connection(listener, client, (struct sockaddr *)&to, sizeof(to));
	close(listener);
}
END_TEST

START_TEST(test_connection_of_another_user)
{
	struct sockaddr_storage address;
	socklen_t len;
	uid_t uid;
	int ends[2];

	if (geteuid() != 0)
		CHECK_SKIP("needs root, who can become another user");
	ck_assert_int_eq(pipe(ends), 0);
	int listener = listener_of(AF_INET, &address, &len);
	pid_t child = fork();
	if (child == 0) {
		char byte;

		close(ends[1]);
		int fd = setuid(65534) ? -1 : socket(AF_INET, SOCK_STREAM, 0);
		if (fd < 0 || connect(fd, (struct sockaddr *)&address, len))
			_exit(1);
		_exit(read(ends[0], &byte, 1) != 0);
	}
	int fd = accept(listener, NULL, NULL);
	ck_assert_no_err(peer_uid(fd, &uid));
	ck_assert_uint_eq(uid, 65534);
	close(ends[1]);
	int status;
	waitpid(child, &status, 0);
	ck_assert_int_eq(status, 0);
	close(ends[0]);
	close(fd);
	close(listener);
}
END_TEST

/* The other direction: the owner of the server at a port that any user may bind. */
START_TEST(test_server_of_another_user)
{
	struct sockaddr_storage address;
	socklen_t len;
	uid_t uid = 0;
	int ends[2], told[2];
	char byte;

	if (geteuid() != 0)
		return;
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(pipe(told), 0);
	pid_t child = fork();
	if (child == 0) {
		close(ends[1]);
		int fd = setuid(65534) ? -1 : listener_of(AF_INET, &address, &len);
		if (fd < 0 || write(told[1], &address, sizeof(address)) != sizeof(address))
			_exit(1);
		if (_i && accept(fd, NULL, NULL) < 0)
			_exit(1);
		if (_i && write(told[1], "", 1) != 1)
			_exit(1);
		_exit(read(ends[0], &byte, 1) != 0);
	}
	int client = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(read(told[0], &address, sizeof(address)), sizeof(address));
	ck_assert_int_eq(connect(client, (struct sockaddr *)&address, sizeof(struct sockaddr_in)), 0);
	if (_i)
		ck_assert_int_eq(read(told[0], &byte, 1), 1);
	ck_assert_no_err(server_uid(client, &uid));
	ck_assert_uint_eq(uid, 65534);
	close(ends[1]);
	int status;
	waitpid(child, &status, 0);
	ck_assert_int_eq(status, 0);
	ck_assert_err(server_uid(client, &uid), ERR_UNAUTHORIZED);
	close(client);
	close(ends[0]);
	close(told[0]);
	close(told[1]);
}
END_TEST

/* Returns the number of bytes that this process has read from files. */
static unsigned long long bytes_read(void)
{
	unsigned long long n = 0;

	FILE *f = fopen("/proc/self/io", "re");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "rchar: %llu", &n), 1);
	fclose(f);
	return n;
}

/* A user with thousands of open sockets must not delay the lookup: it never reads a list of all sockets. */
START_TEST(test_other_sockets_cost_nothing)
{
	enum { OTHERS = 300 };
	struct sockaddr_storage address;
	int others[OTHERS];
	socklen_t len;
	uid_t uid;

	int listener = listener_of(AF_INET, &address, &len);
	ck_assert_int_eq(listen(listener, OTHERS), 0);
	for (int i = 0; i < OTHERS; i++) {
		others[i] = socket(AF_INET, SOCK_STREAM, 0);
		ck_assert_int_eq(connect(others[i], (struct sockaddr *)&address, len), 0);
	}
	int fd = accept(listener, NULL, NULL);
	unsigned long long before = bytes_read();
	ck_assert_no_err(peer_uid(fd, &uid));
	/* The second reading includes the first reading of the counter. */
	ck_assert_uint_le(bytes_read() - before, 1024);
	for (int i = 0; i < OTHERS; i++)
		close(others[i]);
	close(fd);
	close(listener);
}
END_TEST

static struct net_end end_of(const char *ip)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
	struct net_end e;

	if (inet_pton(AF_INET, ip, &in.sin_addr) == 1)
		ck_assert(net_end_of((struct sockaddr *)&in, &e));
	else if (inet_pton(AF_INET6, ip, &in6.sin6_addr) == 1)
		ck_assert(net_end_of((struct sockaddr *)&in6, &e));
	else
		ck_abort_msg("%s", ip);
	return e;
}

START_TEST(test_what_stays_in_this_machine)
{
	static const struct {
		const char *own, *peer;
		bool local;
	} rows[] = {
		{"127.0.0.1", "127.0.0.1", true},
		{"127.0.0.1", "127.9.0.1", true},
		{"::1", "::1", true},
		{"::ffff:127.0.0.1", "::ffff:127.0.0.1", true},
		{"192.0.2.7", "192.0.2.7", true},
		{"192.0.2.7", "127.0.0.1", true},
		{"2001:db8::1", "2001:db8::1", true},
		{"192.0.2.7", "192.0.2.8", false},
		{"2001:db8::1", "2001:db8::2", false},
		{"::ffff:192.0.2.7", "::ffff:192.0.2.8", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct net_end own = end_of(rows[i].own), peer = end_of(rows[i].peer);

		ck_assert_msg(net_is_local(&own, &peer) == rows[i].local, "%s and %s", rows[i].own, rows[i].peer);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("net_owner");
	TCase *connections = tcase_create("connections");

	tcase_add_loop_test(connections, test_connections, 0, 2);
	tcase_add_test(connections, test_connection_of_a_mapped_address);
	tcase_add_test(connections, test_connection_of_another_user);
	tcase_add_loop_test(connections, test_server_of_another_user, 0, 2);
	tcase_add_test(connections, test_other_sockets_cost_nothing);
	tcase_add_test(connections, test_what_stays_in_this_machine);
	suite_add_tcase(suite, connections);
	return check_main(suite);
}
