/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Asking munged of a credential while the loop goes on: in a thread of libuv's, as munged may be slow, or hang.
 * Everything here is called in the loop's own thread.
 */
#ifndef OMPDD_SERVER_CREDENTIAL_ASK_H
#define OMPDD_SERVER_CREDENTIAL_ASK_H

#include <stdbool.h>
#include <uv.h>

#include "server/credential.h"

struct credential_ask;

/* Begin; @on_done(@arg) is called by the loop. @c is borrowed for as long as the loop runs. */
MUST_USE struct error *credential_ask_begin(uv_loop_t *loop, const struct credential_checker *c, const char *credential,
					    void (*on_done)(void *arg), void *arg, struct credential_ask **ret);

bool credential_ask_is_done(const struct credential_ask *a);

/*
 * What came of it, as credential_check(), and the end of *@a, which is NULL then. ERR_UNAUTHORIZED also: nobody was
 * asked (*@a is NULL), not that, or there is no answer yet.
 */
MUST_USE struct error *credential_ask_take(struct credential_ask **a, const char *credential);

/* Nobody wants to know any more: @on_done is not called. NULL is fine. */
void credential_ask_forget(struct credential_ask *a);

/* The credential that the text of a request shows (rpc.authenticate), for the caller to free; NULL: none. */
char *credential_in_request(const char *text, size_t len);

#endif
