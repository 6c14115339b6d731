/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ompdctl-tls HOST PORT --token-file FILE: sends the lines of ompdctl to an ompdd over TLS, and returns the answers.
 * The server must have the private key of the certificate in FILE, so that any reader of FILE can verify the server.
 * It is a separate program, so that ompdctl loads GnuTLS only when needed.
 */
#include <errno.h>
#include <getopt.h>
#include <gnutls/gnutls.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bridge.h"
#include "exit_code.h"
#include "text.h"

#define CHUNK	 (64 << 10)
#define PRIORITY "NORMAL:-VERS-TLS1.0:-VERS-TLS1.1:-VERS-DTLS-ALL"

static const char *where[2]; /* host and port */

/* Report to ompdctl why the bridge stops, and exit. */
static void __attribute__((noreturn)) report_failure(const char *what, const char *why)
{
	struct buf message = {0};

	text_printf(&message, strchr(where[0], ':') ? "tls:[%s]:%s: %s: %s" : "tls:%s:%s: %s: %s", where[0], where[1],
		    what, why);
	bridge_give_up("cannot_connect", message.data, NULL);
}

static int connect_host(const char *host, const char *port)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	struct addrinfo *list = NULL;
	int fd = -1, one = 1;

	int rc = getaddrinfo(host, port, &hints, &list);
	if (rc)
		report_failure("cannot connect", gai_strerror(rc));
	for (struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen)) {
			close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(list);
	if (fd < 0)
		report_failure("cannot connect", strerror(errno));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

/* Connect over TLS. Trust only the certificate in the token file, independent of authorities and host names. */
static gnutls_session_t open_session(int fd, const char *file)
{
	gnutls_certificate_credentials_t credentials;
	gnutls_session_t session;

	int rc = gnutls_certificate_allocate_credentials(&credentials);
	if (!rc)
		rc = gnutls_certificate_set_x509_trust_file(credentials, file, GNUTLS_X509_FMT_PEM);
	if (rc <= 0)
		report_failure("the token file has no certificate of the server",
			       rc ? gnutls_strerror(rc) : "is it the token file of this ompdd?");
	rc = gnutls_init(&session, GNUTLS_CLIENT | GNUTLS_NO_SIGNAL);
	if (!rc)
		rc = gnutls_priority_set_direct(session, PRIORITY, NULL);
	if (!rc)
		rc = gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credentials);
	if (rc)
		report_failure("TLS", gnutls_strerror(rc));
	gnutls_session_set_verify_cert(session, NULL, 0);
	gnutls_transport_set_int(session, fd);
	do
		rc = gnutls_handshake(session);
	while (rc < 0 && !gnutls_error_is_fatal(rc));
	if (rc == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR)
		report_failure("the server does not hold the key of the certificate in the token file",
			       "it is another server, or it was restarted");
	if (rc < 0)
		report_failure("TLS", gnutls_strerror(rc));
	return session;
}

static void send_data(gnutls_session_t session, const char *data, size_t len)
{
	while (len) {
		ssize_t n = gnutls_record_send(session, data, len);

		if (n < 0 && !gnutls_error_is_fatal((int)n))
			continue;
		if (n < 0)
			return; /* ompdctl still reads the server's last message */
		data += n;
		len -= (size_t)n;
	}
}

static void __attribute__((noreturn)) run_bridge(gnutls_session_t session, int fd)
{
	struct pollfd fds[2] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
	static char chunk[CHUNK];

	for (;;) {
		if (!gnutls_record_check_pending(session) && poll(fds, 2, -1) < 0 && errno != EINTR)
			report_failure("poll", strerror(errno));
		if (fds[0].revents) {
			ssize_t n = read(STDIN_FILENO, chunk, sizeof(chunk));

			if (n <= 0) {
				gnutls_bye(session, GNUTLS_SHUT_WR);
				fds[0].fd = -1;
			} else {
				send_data(session, chunk, (size_t)n);
			}
		}
		fds[0].revents = 0;
		if (!gnutls_record_check_pending(session) && !fds[1].revents)
			continue;
		fds[1].revents = 0;
		ssize_t n = gnutls_record_recv(session, chunk, sizeof(chunk));
		if (n < 0 && !gnutls_error_is_fatal((int)n))
			continue;
		if (n <= 0)
			exit(EXIT_SUCCESS);
		bridge_put(chunk, (size_t)n);
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"token-file", required_argument, NULL, 't'}, {0}};
	const char *token = NULL;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c != 't')
			return EXIT_USAGE;
		token = optarg;
	}
	if (argc - optind != 2 || !token)
		return EXIT_USAGE;
	signal(SIGPIPE, SIG_IGN);
	where[0] = argv[optind];
	where[1] = argv[optind + 1];
	int fd = connect_host(where[0], where[1]);
	run_bridge(open_session(fd, token), fd);
}
