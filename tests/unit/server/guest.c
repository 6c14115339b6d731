/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of server/guest: the guest that is sent away when there is no more room. */
#include "check_main.h"

#include <string.h>
#include <sys/socket.h>

#include "server/guest.h"

#define N 6

static struct guests guests;
static struct guest all[N];
static int peers[N];

static void setup(void)
{
	guests_init(&guests);
	memset(all, 0, sizeof(all));
}

/* Guest @i, at the address that ends in @last, of IPv4 or of an IPv6 network. */
static void come(size_t i, bool v4, unsigned char network, unsigned char last)
{
	struct net_end end = {.port = (unsigned short)(1000 + i)};
	int both[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both), 0);
	peers[i] = both[1];
	if (v4)
		memset(end.ip + 10, 0xff, 2);
	else
		end.ip[0] = 0x20;
	end.ip[v4 ? 12 : 7] = network;
	end.ip[15] = last;
	guest_begin(&guests, &all[i], both[0], &end);
}

/* Returns the guest that was sent away, and ends it. */
static size_t sent_away(void)
{
	char byte;

	ck_assert(guests_send_one_away(&guests));
	for (size_t i = 0; i < N; i++) {
		if (!all[i].leaving)
			continue;
		ck_assert_int_eq(recv(peers[i], &byte, 1, MSG_DONTWAIT), 0);
		ck_assert_uint_eq(guests.n_leaving, 1);
		guest_end(&all[i]);
		ck_assert_uint_eq(guests.n_leaving, 0);
		return i;
	}
	ck_abort_msg("nobody is leaving");
}

START_TEST(test_the_oldest_goes)
{
	come(0, true, 10, 1);
	come(1, true, 10, 1);
	come(2, true, 10, 1);
	ck_assert_uint_eq(guests.n, 3);
	ck_assert_uint_eq(sent_away(), 0);
	ck_assert_uint_eq(sent_away(), 1);
	ck_assert_uint_eq(guests.n, 1);
}
END_TEST

START_TEST(test_who_has_shown_who_he_is_stays)
{
	come(0, true, 10, 1);
	come(1, true, 10, 1);
	guest_end(&all[0]);
	guest_end(&all[0]);
	ck_assert_uint_eq(sent_away(), 1);
	ck_assert(!guests_send_one_away(&guests));
	ck_assert_uint_eq(guests.n, 0);
}
END_TEST

START_TEST(test_of_the_address_that_has_most)
{
	come(0, true, 10, 1);
	come(1, true, 10, 2);
	come(2, true, 11, 2);
	come(3, true, 10, 2);
	ck_assert_uint_eq(sent_away(), 1);
	ck_assert_uint_eq(sent_away(), 0);
}
END_TEST

START_TEST(test_a_network_of_ipv6_is_one_address)
{
	come(0, false, 1, 1);
	come(1, false, 2, 1);
	come(2, false, 2, 2);
	ck_assert_uint_eq(sent_away(), 1);
	ck_assert_uint_eq(sent_away(), 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("guest");
	TCase *tc = tcase_create("guest");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, test_the_oldest_goes);
	tcase_add_test(tc, test_who_has_shown_who_he_is_stays);
	tcase_add_test(tc, test_of_the_address_that_has_most);
	tcase_add_test(tc, test_a_network_of_ipv6_is_one_address);
	suite_add_tcase(s, tc);
	return check_main(s);
}
