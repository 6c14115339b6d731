/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* TLS of listeners for other machines, by GnuTLS; libmicrohttpd uses GnuTLS for https, too. */
#include "server/tls.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

/* A self-made certificate lives as long as its daemon; clocks may differ. */
#define VALID_S	  (10LL * 365 * 24 * 3600)
#define EARLIER_S (24LL * 3600)
#define MAX_FILE  (1u << 20)

struct tls {
	gnutls_certificate_credentials_t credentials;
	gnutls_datum_t certificate, key; /* PEM, ended by a NUL */
};

struct tls_session {
	gnutls_session_t session;
	bool ready; /* the handshake is over */
	bool again; /* repeat the write call for data that GnuTLS has already accepted */
};

static struct error *create_tls_error(int rc, const char *what)
{
	return error_create(ERR_INTERNAL_ERROR, "TLS: %s: %s", what, gnutls_strerror(rc));
}

/* Copy @d, which is taken, and append a NUL. */
static struct error *copy_datum(gnutls_datum_t *d TAKES, gnutls_datum_t *ret)
{
	unsigned char *text = malloc((size_t)d->size + 1);

	if (text) {
		memcpy(text, d->data, d->size);
		text[d->size] = '\0';
		*ret = (gnutls_datum_t){text, d->size};
	}
	gnutls_free(d->data);
	return text ? NULL : &error_nomem;
}

static struct error *read_file(const char *path, gnutls_datum_t *ret)
{
	gnutls_datum_t d;
	int rc = gnutls_load_file(path, &d);

	if (rc)
		return error_create(ERR_INVALID_PARAMS, "cannot read %s: %s", path, gnutls_strerror(rc));
	if (d.size > MAX_FILE) {
		gnutls_free(d.data);
		return error_create(ERR_INVALID_PARAMS, "%s is not a file of certificates or keys", path);
	}
	return copy_datum(&d, ret);
}

static int fill_certificate(gnutls_x509_crt_t crt, gnutls_x509_privkey_t key)
{
	unsigned char serial[16];
	time_t now = time(NULL);

	if (getrandom(serial, sizeof(serial), 0) != sizeof(serial))
		return GNUTLS_E_RANDOM_FAILED;
	serial[0] &= 0x7f;
	int rc = gnutls_x509_crt_set_version(crt, 3);
	if (!rc)
		rc = gnutls_x509_crt_set_serial(crt, serial, sizeof(serial));
	if (!rc)
		rc = gnutls_x509_crt_set_activation_time(crt, now - EARLIER_S);
	if (!rc)
		rc = gnutls_x509_crt_set_expiration_time(crt, now + VALID_S);
	if (!rc)
		rc = gnutls_x509_crt_set_dn_by_oid(crt, GNUTLS_OID_X520_COMMON_NAME, 0, "ompdd", 5);
	if (!rc)
		rc = gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_DNSNAME, "ompdd", 5, GNUTLS_FSAN_SET);
	if (!rc)
		rc = gnutls_x509_crt_set_key(crt, key);
	return rc ? rc : gnutls_x509_crt_sign2(crt, crt, key, GNUTLS_DIG_SHA256, 0);
}

/* Create a key, and a certificate that contains only that key. */
static struct error *create_certificate(struct tls *t)
{
	gnutls_datum_t certificate = {0}, key_text = {0};
	gnutls_x509_crt_t crt = NULL;
	gnutls_x509_privkey_t key = NULL;
	struct error *err;

	int rc = gnutls_x509_privkey_init(&key);
	if (!rc)
		rc = gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA,
						  GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
	if (!rc)
		rc = gnutls_x509_crt_init(&crt);
	if (!rc)
		rc = fill_certificate(crt, key);
	if (!rc)
		rc = gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_PEM, &certificate);
	if (!rc)
		rc = gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, &key_text);
	if (rc) {
		gnutls_free(certificate.data);
		err = create_tls_error(rc, "cannot create a certificate");
	} else {
		err = copy_datum(&certificate, &t->certificate);
		struct error *other = copy_datum(&key_text, &t->key);
		if (err)
			error_destroy(other);
		else
			err = other;
	}
	if (crt)
		gnutls_x509_crt_deinit(crt);
	if (key)
		gnutls_x509_privkey_deinit(key);
	return err;
}

struct error *tls_create(const char *cert_file, const char *key_file, struct tls **ret)
{
	_cleanup_(cleanup_tls) struct tls *t = calloc(1, sizeof(*t));
	struct error *err;

	if (!t)
		return &error_nomem;
	if (!cert_file != !key_file)
		return error_create(ERR_INVALID_PARAMS, "--tls-cert and --tls-key belong together");
	int rc = gnutls_certificate_allocate_credentials(&t->credentials);
	if (rc)
		return create_tls_error(rc, "no credentials");
	if (cert_file) {
		err = read_file(cert_file, &t->certificate);
		if (!err)
			err = read_file(key_file, &t->key);
	} else {
		err = create_certificate(t);
	}
	if (err)
		return err;
	rc = gnutls_certificate_set_x509_key_mem(t->credentials, &t->certificate, &t->key, GNUTLS_X509_FMT_PEM);
	if (rc < 0)
		return error_create(ERR_INVALID_PARAMS, "the certificate and its key cannot be used: %s",
				    gnutls_strerror(rc));
	*ret = no_cleanup(t);
	return NULL;
}

void tls_destroy(struct tls *t)
{
	if (!t)
		return;
	if (t->credentials)
		gnutls_certificate_free_credentials(t->credentials);
	if (t->key.data)
		explicit_bzero(t->key.data, t->key.size);
	free(t->key.data);
	free(t->certificate.data);
	free(t);
}

const char *tls_certificate(const struct tls *t)
{
	return (const char *)t->certificate.data;
}

const char *tls_key(const struct tls *t)
{
	return (const char *)t->key.data;
}

struct error *tls_session_create(const struct tls *t, int fd, struct tls_session **ret)
{
	struct tls_session *s = calloc(1, sizeof(*s));

	if (!s)
		return &error_nomem;
	int rc = gnutls_init(&s->session, GNUTLS_SERVER | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL);
	if (!rc)
		rc = gnutls_priority_set_direct(s->session, TLS_PRIORITY, NULL);
	if (!rc)
		rc = gnutls_credentials_set(s->session, GNUTLS_CRD_CERTIFICATE, t->credentials);
	if (rc) {
		tls_session_destroy(s);
		return create_tls_error(rc, "no session");
	}
	gnutls_transport_set_int(s->session, fd);
	*ret = s;
	return NULL;
}

void tls_session_destroy(struct tls_session *s)
{
	if (!s)
		return;
	if (s->session)
		gnutls_deinit(s->session);
	free(s);
}

/* Convert a GnuTLS result to the convention of system calls. */
static ssize_t convert_result(ssize_t rc)
{
	if (rc >= 0)
		return rc;
	if (rc == GNUTLS_E_AGAIN || rc == GNUTLS_E_INTERRUPTED || !gnutls_error_is_fatal((int)rc))
		errno = EAGAIN;
	else
		errno = EPROTO;
	return -1;
}

static bool is_ready(struct tls_session *s)
{
	if (!s->ready)
		s->ready = convert_result(gnutls_handshake(s->session)) == 0;
	return s->ready;
}

ssize_t tls_read(struct tls_session *s, void *to, size_t len)
{
	return is_ready(s) ? convert_result(gnutls_record_recv(s->session, to, len)) : -1;
}

ssize_t tls_write(struct tls_session *s, const void *from, size_t len)
{
	if (!is_ready(s))
		return -1;
	ssize_t n = convert_result(s->again ? gnutls_record_send(s->session, NULL, 0)
					    : gnutls_record_send(s->session, from, len));
	s->again = n < 0 && errno == EAGAIN;
	return n;
}

bool tls_is_ready(const struct tls_session *s)
{
	return s->ready;
}

bool tls_has_input(const struct tls_session *s)
{
	return s->ready && gnutls_record_check_pending(s->session) > 0;
}

bool tls_wants_write(const struct tls_session *s)
{
	return (!s->ready || s->again) && gnutls_record_get_direction(s->session) == 1;
}

void tls_shutdown(struct tls_session *s)
{
	if (s->ready)
		gnutls_bye(s->session, GNUTLS_SHUT_WR);
}
