/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* server/net_tcp: lines of /proc/net/tcp, and whose real connections are. */
#include "check_main.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/net_tcp.h"

#define HEADER "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
#define LISTENS                                                                                                        \
	"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 70 1 0 100 0 0 "   \
	"10 0\n"
#define OURS                                                                                                           \
	"   1: 0100007F:1F90 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 71 1 0 20 4 30 "   \
	"10 -1\n"
#define PEERS                                                                                                          \
	"   2: 0100007F:D431 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1234        0 72 1 0 20 4 30 "   \
	"10 -1\n"
#define CLOSED "   2: 0100007F:D431 0100007F:1F90 06 00000000:00000000 03:00001763 00000000     0        0 0 3 0\n"
#define MAPPED                                                                                                         \
	"   7: 0000000000000000FFFF00000100007F:D431 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 "      \
	"02:000A 00000000  1235        0 73 2 0\n"

static struct net_tcp_search search;

static void setup(void)
{
	memset(&search, 0, sizeof(search));
	memcpy(search.local.ip, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\0\0\1", 16);
	memcpy(search.remote.ip, search.local.ip, 16);
	search.local.port = 0xd431;
	search.remote.port = 0x1f90;
}

static bool feed(const char *text)
{
	return net_tcp_search_feed(&search, text, strlen(text));
}

START_TEST(test_a_line)
{
	static const char v6[] = "  12: B80D01200000000067452301EFCDAB89:0050 00000000000000000000000001000000:FFFF 08 "
				 "00000001:00000002 01:00000003 00000004 4294967294 5 18446744073709551615";
	static const unsigned char local[] = {0x20, 0x01, 0x0d, 0xb8, 0,    0,	  0,	0,
					      0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
	struct net_tcp_socket s;

	ck_assert(net_tcp_parse(v6, strlen(v6), &s));
	ck_assert_mem_eq(s.local.ip, local, 16);
	ck_assert_uint_eq(s.local.port, 80);
	ck_assert_uint_eq(s.remote.ip[15], 1);
	ck_assert_uint_eq(s.remote.port, 65535);
	ck_assert_uint_eq(s.uid, 4294967294u);
	ck_assert_uint_eq(s.inode, UINT64_MAX);
}
END_TEST

static const char *const bad[] = {
	"",
	" ",
	"1",
	"1:",
	"x: 0100007F:1F90 0100007F:D431 01 0 0 0 0 0 1",
	"1: 0100007F 0100007F:D431 01 0 0 0 0 0 1",
	"1: 0100007:1F90 0100007F:D431 01 0 0 0 0 0 1",
	"1: 0100007F0:1F90 0100007F:D431 01 0 0 0 0 0 1",
	"1: 0100007F0100007F:1F90 0100007F:D431 01 0 0 0 0 0 1",
	"1: 0100007F:1F9 0100007F:D431 01 0 0 0 0 0 1",
	"1: 0100007F:1F900 0100007F:D431 01 0 0 0 0 0 1",
	"1: 0100007F:1F90 0100007F:D431 0A 0 0 0 0 0 1", /* listens */
	"1: 0100007F:1F90 0100007F:D431 100 0 0 0 0 0 1",
	"1: 0100007F:1F90 0100007F:D431 01 0 0 0 4294967296 0 1",
	"1: 0100007F:1F90 0100007F:D431 01 0 0 0 -1 0 1",
	"1: 0100007F:1F90 0100007F:D431 01 0 0 0 0 0 18446744073709551616",
	"1: 0100007F:1F90 0100007F:D431 01 0 0 0 0 0 1x",
	"1: 0100007F:1F90 0100007F:D431 01 0 0 0 0 0",
	"1: 0100007F:1F90 0100007F:D431 01 0 0 0 0 0 ",
};

START_TEST(test_no_line)
{
	struct net_tcp_socket s;

	ck_assert(!net_tcp_parse(bad[_i], strlen(bad[_i]), &s));
}
END_TEST

START_TEST(test_the_peers_side_is_found)
{
	ck_assert(!feed(HEADER LISTENS OURS));
	ck_assert(feed(PEERS OURS));
	ck_assert_uint_eq(search.uid, 1234);
}
END_TEST

START_TEST(test_pieces_of_any_size)
{
	static const char text[] = HEADER LISTENS OURS PEERS;
	size_t size = (size_t)_i + 1;

	for (size_t at = 0; at < sizeof(text) - 1; at += size) {
		size_t left = sizeof(text) - 1 - at;
		bool last = left <= size;

		ck_assert_int_eq(net_tcp_search_feed(&search, text + at, last ? left : size), last);
	}
	ck_assert_uint_eq(search.uid, 1234);
}
END_TEST

START_TEST(test_a_closed_socket_is_nobodys)
{
	/* It would be root's. */
	ck_assert(!feed(HEADER CLOSED));
}
END_TEST

START_TEST(test_mapped_address)
{
	ck_assert(feed(HEADER MAPPED));
	ck_assert_uint_eq(search.uid, 1235);
}
END_TEST

START_TEST(test_long_lines_are_skipped)
{
	for (int i = 0; i < 100; i++)
		ck_assert(!feed("   2: 0100007F:D431 0100007F:1F90 01"));
	ck_assert(!feed("\n"));
	ck_assert(feed(PEERS));
}
END_TEST

START_TEST(test_the_line_must_be_complete)
{
	ck_assert(!net_tcp_search_feed(&search, PEERS, sizeof(PEERS) - 2));
	ck_assert(feed("\n"));
}
END_TEST

/* Real connections */

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
	int fd = accept(listener, NULL, NULL);
	ck_assert_int_ge(fd, 0);
	ck_assert_no_err(net_tcp_peer_uid(fd, &uid));
	ck_assert_uint_eq(uid, geteuid());
	/* Half a close is none. */
	shutdown(client, SHUT_WR);
	ck_assert_no_err(net_tcp_peer_uid(fd, &uid));
	ck_assert_uint_eq(uid, geteuid());
	close(client);
	ck_assert_err(net_tcp_peer_uid(fd, &uid), ERR_UNAUTHORIZED);
	close(fd);
}

START_TEST(test_connections)
{
	static const int families[] = {AF_INET, AF_INET6};
	struct sockaddr_storage address;
	socklen_t len;

	int listener = listener_of(families[_i], &address, &len);
	if (listener < 0 && families[_i] == AF_INET6)
		return; /* this machine has none */
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
	if (client >= 0)
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
		return;
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
	ck_assert_no_err(net_tcp_peer_uid(fd, &uid));
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

int main(void)
{
	Suite *suite = suite_create("net_tcp");
	TCase *lines = tcase_create("lines");
	TCase *search_case = tcase_create("search");
	TCase *connections = tcase_create("connections");

	tcase_add_test(lines, test_a_line);
	tcase_add_loop_test(lines, test_no_line, 0, sizeof(bad) / sizeof(bad[0]));
	suite_add_tcase(suite, lines);
	tcase_add_checked_fixture(search_case, setup, NULL);
	tcase_add_test(search_case, test_the_peers_side_is_found);
	tcase_add_loop_test(search_case, test_pieces_of_any_size, 0, 200);
	tcase_add_test(search_case, test_a_closed_socket_is_nobodys);
	tcase_add_test(search_case, test_mapped_address);
	tcase_add_test(search_case, test_long_lines_are_skipped);
	tcase_add_test(search_case, test_the_line_must_be_complete);
	suite_add_tcase(suite, search_case);
	tcase_add_loop_test(connections, test_connections, 0, 2);
	tcase_add_test(connections, test_connection_of_a_mapped_address);
	tcase_add_test(connections, test_connection_of_another_user);
	suite_add_tcase(suite, connections);
	return check_main(suite);
}
