/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* TLS of listeners for other machines: the daemon's certificate, and its connections. */
#ifndef OMPDD_SERVER_TLS_H
#define OMPDD_SERVER_TLS_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/cleanup.h"

/* TLS 1.2 and 1.3, in GnuTLS' syntax. */
#define TLS_PRIORITY "NORMAL:-VERS-TLS1.0:-VERS-TLS1.1:-VERS-DTLS-ALL"

struct tls;
struct tls_session;

/*
 * Load the certificate (with its chain) and the key from these PEM files. If both are NULL: create a key in memory and
 * a self-signed certificate. Clients read that certificate from the token file.
 */
MUST_USE struct error *tls_create(const char *cert_file, const char *key_file, struct tls **ret);
void tls_destroy(struct tls *t);
CLEANUP_DEFINE(tls, struct tls *, tls_destroy)

/* Return both as PEM, borrowed. */
const char *tls_certificate(const struct tls *t);
const char *tls_key(const struct tls *t);

/* Create the server side of a new connection on the non-blocking socket @fd (borrowed). */
MUST_USE struct error *tls_session_create(const struct tls *t, int fd, struct tls_session **ret);
void tls_session_destroy(struct tls_session *s);

/*
 * Like read(2) and write(2) on a non-blocking socket; they also perform the handshake. Return -1 with EAGAIN if the
 * call must be repeated, or with EPROTO if the peer violates TLS.
 */
ssize_t tls_read(struct tls_session *s, void *to, size_t len);
ssize_t tls_write(struct tls_session *s, const void *from, size_t len);
/* Return true if the handshake is complete. */
bool tls_is_ready(const struct tls_session *s);
/* Return true if there is decrypted input that the socket no longer shows. */
bool tls_has_input(const struct tls_session *s);
/* Return true if the session waits for room to write, with or without output. */
bool tls_wants_write(const struct tls_session *s);
/* Notify the peer that no more data follows. */
void tls_shutdown(struct tls_session *s);

#endif
