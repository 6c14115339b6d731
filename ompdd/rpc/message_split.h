/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Recognizes the lines between the daemon and its workers (base/contract.h) by their fixed prefix, without parsing the
 * rest. The other side has already checked or written the rest. The functions reject any other text.
 */
#ifndef OMPDD_RPC_MESSAGE_SPLIT_H
#define OMPDD_RPC_MESSAGE_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A request as written by message_write_request(); pointers into the text. */
struct split_request {
	int64_t seq;
	int64_t client;
	const char *method;
	size_t method_len;
	const char *params; /* unparsed; starts with a brace */
	size_t params_len;
};

bool message_split_request(const char *text, size_t len, struct split_request *ret);

/*
 * Split a worker's response: `{"jsonrpc":"2.0","id":SEQ,"result":…}` or `…"error":…}`, as message_write_*() write it.
 * On success *payload_ret points into @text at the "result"/"error" member and extends to the end of the text.
 * message_write_raw() can then put the client's own id before it.
 */
bool message_split_response(const char *text, size_t len, int64_t *seq_ret, const char **payload_ret,
			    size_t *payload_len_ret);

/* Get the number @member, the only member in the params of a notification of @method. */
bool message_split_number(const char *text, size_t len, const char *method, const char *member, int64_t *ret);

#endif
