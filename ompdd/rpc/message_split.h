/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Lines between the daemon and its workers (base/contract.h), known by their canonical beginning, without parsing the
 * rest: that was checked, or made, on the other side. Any other text is none of them.
 */
#ifndef OMPDD_RPC_MESSAGE_SPLIT_H
#define OMPDD_RPC_MESSAGE_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A request as message_write_request() makes it; pointers into the text. */
struct split_request {
	int64_t seq;
	int64_t client;
	const char *method;
	size_t method_len;
	const char *params; /* to be parsed; begins with a brace */
	size_t params_len;
};

bool message_split_request(const char *text, size_t len, struct split_request *ret);

/*
 * What a worker sent: `{"jsonrpc":"2.0","id":SEQ,"result":…}` or `…"error":…}`, as message_write_*() makes them.
 * On success *payload_ret points into @text at the "result"/"error" member and runs to the end of the text, so that
 * message_write_raw() can put the client's own id before it.
 */
bool message_split_response(const char *text, size_t len, int64_t *seq_ret, const char **payload_ret,
			    size_t *payload_len_ret);

/* A notification of @method with a single number, @member, in its params. */
bool message_split_number(const char *text, size_t len, const char *method, const char *member, int64_t *ret);

#endif
