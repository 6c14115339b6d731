/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tests of clients/lib/listener: the peers to which a token may be sent. tests/system/test_remote.py covers other
 * users' listeners.
 */
#include "check_main.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "listener.h"

static struct net_end end_of(const char *ip, unsigned short port)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port)};
	struct net_end e;

	ck_assert_int_eq(inet_pton(AF_INET, ip, &in.sin_addr), 1);
	ck_assert(net_end_of((struct sockaddr *)&in, &e));
	return e;
}

START_TEST(test_another_machine)
{
	struct net_end own = end_of("192.0.2.7", 40000), peer = end_of("192.0.2.8", 7777);
	struct refusal no;

	ck_assert(listener_refuse(&own, &peer, &no));
	ck_assert_ptr_nonnull(strstr(no.why, "in plain text"));
	ck_assert_ptr_nonnull(strstr(no.hint, "tls:"));
}
END_TEST

START_TEST(test_our_own_listener)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t len = sizeof(in);
	struct net_end own, peer;
	struct refusal no;

	int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&in, len), 0);
	ck_assert_int_eq(listen(listener, 1), 0);
	ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&in, &len), 0);
	ck_assert_int_eq(connect(client, (struct sockaddr *)&in, len), 0);
	ck_assert(net_ends(client, &own, &peer));
	ck_assert(!listener_refuse(&own, &peer, &no));
	close(listener);
	/* The listener has exited. */
	ck_assert(listener_refuse(&own, &peer, &no));
	ck_assert_int_gt(strlen(no.why), 0);
	close(client);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/listener");
	TCase *tcase = tcase_create("all");

	tcase_add_test(tcase, test_another_machine);
	tcase_add_test(tcase, test_our_own_listener);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
