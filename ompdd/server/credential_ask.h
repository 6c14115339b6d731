/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Asks munged about a credential in a thread of libuv, because munged may be slow or hang. The loop continues
 * meanwhile. Call all functions here in the loop's own thread.
 */
#ifndef OMPDD_SERVER_CREDENTIAL_ASK_H
#define OMPDD_SERVER_CREDENTIAL_ASK_H

#include <stdbool.h>
#include <uv.h>

#include "server/credential.h"

struct credential_ask;

/* Start a request; the loop calls @on_done(@arg). @c is borrowed until the loop ends. */
MUST_USE struct error *credential_ask_begin(uv_loop_t *loop, const struct credential_checker *c, const char *credential,
					    void (*on_done)(void *arg), void *arg, struct credential_ask **ret);

bool credential_ask_is_done(const struct credential_ask *a);

/*
 * Take the result, as from credential_check(), and free *@a, which becomes NULL. Also returns ERR_UNAUTHORIZED if no
 * request was made (*@a is NULL), if it was for another credential, or if its answer is missing.
 */
MUST_USE struct error *credential_ask_take(struct credential_ask **a, const char *credential);

/* Discard the request: @on_done is not called. NULL is fine. */
void credential_ask_forget(struct credential_ask *a);

/* Return the credential in the text of a request (rpc.authenticate), or NULL. The caller frees it. */
char *credential_in_request(const char *text, size_t len);

#endif
