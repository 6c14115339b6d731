/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Selects the guest connection that must leave when another connection needs its place. */
#include "server/guest.h"

#include <string.h>
#include <sys/socket.h>

/* The owner of one IPv6 address has all addresses with the same first 8 bytes. */
#define NETWORK_V6 8

void guests_init(struct guests *g)
{
	*g = (struct guests){.n = 0};
	list_init(&g->all);
}

void guest_begin(struct guests *g, struct guest *guest, int fd, const struct net_end *peer)
{
	*guest = (struct guest){.of = g, .fd = fd};
	memcpy(guest->ip, peer->ip, sizeof(guest->ip));
	list_append(&g->all, &guest->link);
	g->n++;
}

static void leave_list(struct guest *guest)
{
	list_remove(&guest->link);
	guest->of->n--;
}

void guest_end(struct guest *guest)
{
	if (!guest->of)
		return;
	if (guest->leaving)
		guest->of->n_leaving--;
	else
		leave_list(guest);
	*guest = (struct guest){.of = NULL};
}

static bool is_same_peer(const struct guest *a, const struct guest *b)
{
	static const unsigned char v4_prefix[12] = {[10] = 0xff, [11] = 0xff};
	bool v4 = !memcmp(a->ip, v4_prefix, sizeof(v4_prefix));

	return !memcmp(a->ip, b->ip, v4 ? sizeof(a->ip) : NETWORK_V6);
}

static size_t count_peer_guests(const struct guests *g, const struct guest *one)
{
	size_t n = 0;

	list_for_each (it, tmp, (struct list *)&g->all)
		n += is_same_peer(one, list_entry(it, struct guest, link));
	return n;
}

bool guests_send_one_away(struct guests *g)
{
	struct guest *chosen = NULL;
	size_t most = 0;

	list_for_each (it, tmp, &g->all) {
		struct guest *one = list_entry(it, struct guest, link);
		size_t n = count_peer_guests(g, one);

		if (n > most) {
			most = n;
			chosen = one;
		}
	}
	if (!chosen)
		return false;
	leave_list(chosen);
	chosen->leaving = true;
	g->n_leaving++;
	shutdown(chosen->fd, SHUT_RDWR);
	return true;
}
