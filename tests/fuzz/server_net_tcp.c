/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * server/net_tcp: /proc/net/tcp as text in pieces. The first byte chooses their size; whatever it is, the same is
 * found.
 */
#include <string.h>

#include "fuzz.h"
#include "server/net_tcp.h"

static const struct net_tcp_end end_a = {.ip = {[10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1}, .port = 0xd431};
static const struct net_tcp_end end_b = {.ip = {[10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1}, .port = 0x1f90};

static bool search_in(const char *text, size_t len, size_t piece, uid_t *uid_ret)
{
	struct net_tcp_search s = {.local = end_a, .remote = end_b};

	for (size_t at = 0; at < len; at += piece) {
		size_t n = len - at < piece ? len - at : piece;
		/* A copy of its own length, so that a sanitizer sees every byte too far. */
		char *copy = malloc(n);

		if (!copy)
			abort();
		memcpy(copy, text + at, n);
		bool found = net_tcp_search_feed(&s, copy, n);
		free(copy);
		FUZZ_ASSERT(found == s.found);
		if (found)
			break;
	}
	*uid_ret = s.uid;
	return s.found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct net_tcp_socket socket;
	uid_t whole = 0, pieces = 0;

	if (!size)
		return 0;
	const char *text = (const char *)data + 1;
	net_tcp_parse(text, size - 1, &socket);
	bool found = search_in(text, size - 1, size, &whole);
	FUZZ_ASSERT(search_in(text, size - 1, (size_t)data[0] + 1, &pieces) == found && pieces == whole);
	return 0;
}
