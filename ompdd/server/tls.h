/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* TLS of listeners that other machines reach: the daemon's certificate, and connections over it. */
#ifndef OMPDD_SERVER_TLS_H
#define OMPDD_SERVER_TLS_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/cleanup.h"

/* TLS 1.2 and 1.3, as GnuTLS writes it. */
#define TLS_PRIORITY "NORMAL:-VERS-TLS1.0:-VERS-TLS1.1:-VERS-DTLS-ALL"

struct tls;
struct tls_session;

/*
 * The certificate (with its chain) and the key in these PEM files; both NULL: a key that is made now and kept nowhere,
 * with a certificate that it signs itself. Clients know it from the token file.
 */
MUST_USE struct error *tls_create(const char *cert_file, const char *key_file, struct tls **ret);
void tls_destroy(struct tls *t);
CLEANUP_DEFINE(tls, struct tls *, tls_destroy)

/* Both as PEM, borrowed. */
const char *tls_certificate(const struct tls *t);
const char *tls_key(const struct tls *t);

/* The server's end of a new connection on the non-blocking socket @fd (borrowed). */
MUST_USE struct error *tls_session_create(const struct tls *t, int fd, struct tls_session **ret);
void tls_session_destroy(struct tls_session *s);

/*
 * As read(2) and write(2) on a non-blocking socket, the handshake included: -1 with EAGAIN when it is to be called
 * again, with EPROTO when the other end does not hold to TLS.
 */
ssize_t tls_read(struct tls_session *s, void *to, size_t len);
ssize_t tls_write(struct tls_session *s, const void *from, size_t len);
/* The handshake is over. */
bool tls_is_ready(const struct tls_session *s);
/* Something is read that the socket does not show any more. */
bool tls_has_input(const struct tls_session *s);
/* It waits for room to write, whether or not there is output. */
bool tls_wants_write(const struct tls_session *s);
/* Tell the other end that there will be no more. */
void tls_shutdown(struct tls_session *s);

#endif
