/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ompdctl-http HOST PORT, or --unix PATH: sends each line of ompdctl to an ompdd as POST /rpc, and returns each
 * answer as a line. It is a separate program, so that ompdctl loads libcurl only when needed. Options: --token-file
 * FILE names the token. --events passes on the daemon's events (GET /events) as notifications, as on other connections.
 * With --munge, each request has a MUNGE credential instead of a token, created for the daemon's challenge.
 */
#include <arpa/inet.h>
#include <curl/curl.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "bridge.h"
#include "credential.h"
#include "exit_code.h"
#include "listener.h"
#include "text.h"

/* Equal to CONN_MAX_LINE of ompdctl, the longest answer that ompdctl accepts. */
#define MAX_ANSWER (64U << 20)
#define MAX_TOKEN  4096
#define MAX_SHOWN  200
#define READ_SIZE  65536
#define WAIT_MS	   60000
/* Time limit for connecting to a server. */
#define CONNECT_MS 30000L

struct bridge {
	const char *where; /* for messages */
	CURLM *multi;
	CURL *rpc, *events; /* events: NULL if not requested */
	struct curl_slist *headers;
	struct curl_slist *shown[2]; /* --munge: headers of the last request, and of the request for events */
	char challenge[64];	     /* "": not known yet */
	int is_new;		     /* it has just been received */
	int is_second[2];	     /* the request is a retry with the new challenge */
	char error[CURL_ERROR_SIZE];
	struct buf in, request, answer, stream; /* stream: of /events, from the start of a line */
	int is_asking, has_stream;
	int tls, has_token, munge;
	const char *token_file;
};

/* Report to ompdctl why the bridge stops, and exit. */
static void __attribute__((noreturn))
report_failure(const struct bridge *b, const char *name, const char *message, const char *hint)
{
	struct buf text = {0};

	text_printf(&text, "%s: %s", b->where, message);
	bridge_give_up(name, text.data, hint);
}

static size_t on_answer(char *data, size_t one, size_t len, void *arg)
{
	struct bridge *b = arg;

	(void)one;
	if (len > MAX_ANSWER - b->answer.len)
		return 0;
	text_add_bytes(&b->answer, data, len);
	return len;
}

/* Pass on an event. Events start with "data: ", and are one line each. */
static void send_event(const char *line, size_t len)
{
	static const char field[] = "data: ";
	struct buf t = {0};

	if (len < sizeof(field) || memcmp(line, field, sizeof(field) - 1))
		return;
	text_add(&t, "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":");
	text_add_bytes(&t, line + sizeof(field) - 1, len - (sizeof(field) - 1));
	text_add(&t, "}\n");
	bridge_put(t.data, t.len);
	buf_deinit(&t);
}

static size_t on_stream(char *data, size_t one, size_t len, void *arg)
{
	struct bridge *b = arg;
	size_t start = 0;
	char *end;

	(void)one;
	if (len > MAX_ANSWER - b->stream.len)
		return 0;
	text_add_bytes(&b->stream, data, len);
	b->has_stream = 1;
	while ((end = memchr(b->stream.data + start, '\n', b->stream.len - start))) {
		size_t line = (size_t)(end - (b->stream.data + start));

		send_event(b->stream.data + start, line);
		start += line + 1;
	}
	memmove(b->stream.data, b->stream.data + start, b->stream.len - start);
	b->stream.len -= start;
	return len;
}

/* Report an HTTP error, with the server's text, and exit. */
static void __attribute__((noreturn)) report_refusal(struct bridge *b, long status, struct buf *words)
{
	struct buf message = {0};

	text_add_bytes(words, "", 1);
	words->data[strcspn(words->data, "\r\n")] = 0;
	words->data[text_fit(words->data, MAX_SHOWN)] = 0;
	text_printf(&message, "HTTP status %ld%s%s", status, *words->data ? ": " : "",
		    utf8_is_valid(words->data, strlen(words->data)) ? words->data : "");
	if (status == 401)
		report_failure(b, "unauthorized", message.data,
			       b->munge ? "is the daemon of your user or root, and its munged of your cluster?"
					: "--token-file FILE, or $OMPDD_TOKEN_FILE, names the file with ompdd's "
					  "to");
	report_failure(b, status == 403 ? "unauthorized" : "bad_answer", message.data,
		       status == 403 ? "connect as the user who runs ompdd, with the address at which it listens"
				     : "is this an ompdd?");
}

/* Store the daemon's challenge, from a header of a refusal. */
static size_t on_header(char *data, size_t one, size_t len, void *arg)
{
	static const char name[] = "WWW-Authenticate: MUNGE realm=\"";
	struct bridge *b = arg;
	char told[sizeof(b->challenge)];

	(void)one;
	if (len < sizeof(name) || strncasecmp(data, name, sizeof(name) - 1))
		return len;
	size_t n = 0;
	/* The line may lack a terminating zero. */
	while (n + sizeof(name) - 1 < len && n < sizeof(told) && isxdigit((unsigned char)data[sizeof(name) - 1 + n]))
		n++;
	if (n >= sizeof(told) || n + sizeof(name) - 1 >= len || data[sizeof(name) - 1 + n] != '"')
		return len;
	memcpy(told, data + sizeof(name) - 1, n);
	told[n] = 0;
	b->is_new = strcmp(told, b->challenge) != 0;
	memcpy(b->challenge, told, n + 1);
	return len;
}

/* Add a new credential to the next request: each credential is valid only once. */
static void set_credential(struct bridge *b, CURL *easy)
{
	struct curl_slist **shown = &b->shown[easy == b->events];
	struct buf header = {0};

	if (!b->munge)
		return;
	curl_slist_free_all(*shown);
	*shown = curl_slist_append(NULL, "Content-Type: application/json");
	*shown = curl_slist_append(*shown, "Expect:");
	if (*b->challenge) {
		char *credential = credential_make(b->challenge);

		if (!credential)
			report_failure(b, "no_credential", "munge cannot create a credential",
				       "munge -n | unmunge shows the reason");
		text_printf(&header, "Authorization: MUNGE %s", credential);
		*shown = curl_slist_append(*shown, header.data);
		buf_deinit(&header);
		free(credential);
	}
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, *shown);
}

/* Retry a request that was refused with a new challenge, once only. Returns whether it is retried. */
static int retry_request(struct bridge *b, CURL *easy, long status)
{
	int *is_second = &b->is_second[easy == b->events];

	if (!b->munge || status != 401 || !b->is_new || *is_second)
		return 0;
	b->is_new = 0;
	*is_second = 1;
	curl_multi_remove_handle(b->multi, easy);
	if (easy == b->events)
		b->stream.len = b->has_stream = 0;
	else
		b->answer.len = 0;
	set_credential(b, easy);
	curl_multi_add_handle(b->multi, easy);
	return 1;
}

static void finish_request(struct bridge *b, CURL *easy, CURLcode code)
{
	long status = 0;

	if (code != CURLE_OK)
		report_failure(b, "cannot_connect", *b->error ? b->error : curl_easy_strerror(code),
			       "is ompdd running, and is this its address?");
	curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
	if (easy == b->events) {
		if (retry_request(b, easy, status))
			return;
		if (status != 200)
			report_refusal(b, status, &b->stream);
		report_failure(b, "connection_lost", "the daemon ended its events",
			       "the daemon's log may show the reason");
	}
	if (retry_request(b, easy, status))
		return;
	if (status != 200 && status != 204)
		report_refusal(b, status, &b->answer);
	while (b->answer.len && b->answer.data[b->answer.len - 1] == '\n')
		b->answer.len--;
	if (b->answer.len && memchr(b->answer.data, '\n', b->answer.len))
		report_failure(b, "bad_answer", "the answer is not one line", "is this an ompdd?");
	if (b->answer.len) {
		text_add_bytes(&b->answer, "\n", 1);
		bridge_put(b->answer.data, b->answer.len);
	}
	b->answer.len = 0;
	b->is_asking = 0;
	curl_multi_remove_handle(b->multi, easy);
}

/* Send the next line, if there is one and the last one was answered: a connection has one request at a time. */
static void send_request(struct bridge *b)
{
	char *end = b->in.len && !b->is_asking && (!b->events || b->has_stream) ? memchr(b->in.data, '\n', b->in.len)
										: NULL;

	if (!end)
		return;
	size_t len = (size_t)(end - b->in.data);
	b->request.len = 0;
	text_add_bytes(&b->request, b->in.data, len);
	memmove(b->in.data, end + 1, b->in.len - len - 1);
	b->in.len -= len + 1;
	curl_easy_setopt(b->rpc, CURLOPT_POSTFIELDS, b->request.data);
	curl_easy_setopt(b->rpc, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	b->is_asking = 1;
	b->is_second[0] = 0;
	set_credential(b, b->rpc);
	curl_multi_add_handle(b->multi, b->rpc);
}

static void read_requests(struct bridge *b)
{
	char chunk[READ_SIZE];
	ssize_t n = read(STDIN_FILENO, chunk, sizeof(chunk));

	if (n > 0)
		text_add_bytes(&b->in, chunk, (size_t)n);
	else if (n == 0 || (errno != EINTR && errno != EAGAIN))
		_exit(EXIT_OK); /* closes the connections: the daemon detaches their targets */
}

static void run_bridge(struct bridge *b)
{
	for (;;) {
		struct curl_waitfd in = {.fd = STDIN_FILENO, .events = CURL_WAIT_POLLIN};
		int running, left;
		CURLMsg *message;

		send_request(b);
		if (curl_multi_perform(b->multi, &running) != CURLM_OK)
			report_failure(b, "cannot_connect", "libcurl failed", "");
		while ((message = curl_multi_info_read(b->multi, &left))) {
			if (message->msg == CURLMSG_DONE)
				finish_request(b, message->easy_handle, message->data.result);
		}
		if (!b->is_asking && b->in.len && memchr(b->in.data, '\n', b->in.len) && (!b->events || b->has_stream))
			continue;
		if (curl_multi_poll(b->multi, &in, 1, WAIT_MS, NULL) != CURLM_OK)
			report_failure(b, "cannot_connect", "libcurl failed", "");
		if (in.revents)
			read_requests(b);
	}
}

static char *create_url(const struct bridge *b, const char *host, const char *port, const char *path)
{
	struct buf literal = {0};
	CURLU *url = curl_url();
	char *ret = NULL;

	text_printf(&literal, strchr(host, ':') ? "[%s]" : "%s", host);
	if (!url || curl_url_set(url, CURLUPART_SCHEME, b->tls ? "https" : "http", 0) ||
	    curl_url_set(url, CURLUPART_HOST, literal.data, 0) || curl_url_set(url, CURLUPART_PORT, port, 0) ||
	    curl_url_set(url, CURLUPART_PATH, path, 0) || curl_url_get(url, CURLUPART_URL, &ret, 0))
		report_failure(b, "bad_uri", "not an address of HTTP", "an address is http:HOST:PORT or http:PORT");
	curl_url_cleanup(url);
	buf_deinit(&literal);
	return ret;
}

static int parse_end(const char *ip, int port, struct net_end *ret)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = in.sin_port};

	if (inet_pton(AF_INET, ip, &in.sin_addr) == 1)
		return net_end_of((struct sockaddr *)&in, ret);
	return inet_pton(AF_INET6, ip, &in6.sin6_addr) == 1 && net_end_of((struct sockaddr *)&in6, ret);
}

/* Check the peer of a new connection before anything is sent: in clear, only some listeners may receive the token. */
static int on_connected(void *arg, char *peer_ip, char *own_ip, int peer_port, int own_port)
{
	struct bridge *b = arg;
	struct net_end own, peer;
	struct refusal no;

	if (!parse_end(own_ip, own_port, &own) || !parse_end(peer_ip, peer_port, &peer))
		return CURL_PREREQFUNC_ABORT;
	if (listener_refuse(&own, &peer, &no))
		report_failure(b, "unauthorized", no.why, no.hint);
	return CURL_PREREQFUNC_OK;
}

static CURL *create_handle(struct bridge *b, const char *url, const char *socket, curl_write_callback write)
{
	CURL *easy = curl_easy_init();

	if (!easy || curl_easy_setopt(easy, CURLOPT_URL, url) ||
	    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, b->tls ? "https" : "http") ||
	    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, b->headers) ||
	    curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, socket))
		report_failure(b, "cannot_connect", "libcurl cannot do this", "");
	/* Trust only the certificate in the token file, independent of authorities and host names. */
	if (b->tls) {
		if (curl_easy_setopt(easy, CURLOPT_CAINFO, b->token_file) ||
		    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL))
			report_failure(b, "cannot_connect", "libcurl cannot do this", "");
		curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
	} else if (!socket && b->has_token) {
		curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_connected);
		curl_easy_setopt(easy, CURLOPT_PREREQDATA, b);
	}
	if (b->munge) {
		curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
		curl_easy_setopt(easy, CURLOPT_HEADERDATA, b);
	}
	/* No proxy may receive the token. */
	curl_easy_setopt(easy, CURLOPT_PROXY, "");
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, b->error);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, write);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, b);
	return easy;
}

/* Add the daemon's token to a header. The rest of the file are certificates. */
static void add_token(struct bridge *b, const char *path)
{
	char token[MAX_TOKEN + 1];
	struct buf header = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, token, MAX_TOKEN) : -1;

	if (fd >= 0)
		close(fd);
	if (n < 0) {
		text_printf(&header, "cannot read the token in %s: %s", path, strerror(errno));
		report_failure(b, "no_token", header.data, "ompdd writes it to the file that its --token-file names");
	}
	token[n] = 0;
	text_printf(&header, "Authorization: Bearer %.*s", (int)strcspn(token, " \t\r\n"), token);
	b->has_token = 1;
	b->headers = curl_slist_append(b->headers, header.data);
	buf_deinit(&header);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"events", no_argument, NULL, 'e'},	{"token-file", required_argument, NULL, 't'},
		{"munge", no_argument, NULL, 'm'},	{"tls", no_argument, NULL, 's'},
		{"unix", required_argument, NULL, 'u'}, {0}};
	const char *token = NULL, *socket = NULL;
	struct bridge b = {.where = "HTTP"};
	int with_events = 0, c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'e')
			with_events = 1;
		else if (c == 'm')
			b.munge = 1;
		else if (c == 's')
			b.tls = 1;
		else if (c == 't')
			token = optarg;
		else if (c == 'u')
			socket = optarg;
		else
			return EXIT_USAGE;
	}
	if (argc - optind != (socket ? 0 : 2))
		return EXIT_USAGE;
	signal(SIGPIPE, SIG_IGN);
	const char *host = socket ? "localhost" : argv[optind], *port = socket ? "80" : argv[optind + 1];
	struct buf where = {0};
	text_printf(&where,
		    socket		? "http+unix:%s"
		    : strchr(host, ':') ? "%3$s:[%1$s]:%2$s"
					: "%3$s:%1$s:%2$s",
		    socket ? socket : host, port, b.tls ? "https" : "http");
	b.where = where.data;
	if (curl_global_init(b.tls ? CURL_GLOBAL_SSL : CURL_GLOBAL_NOTHING) || !(b.multi = curl_multi_init()))
		report_failure(&b, "cannot_connect", "libcurl failed", "");
	b.headers = curl_slist_append(NULL, "Content-Type: application/json");
	b.headers = curl_slist_append(b.headers, "Expect:");
	b.token_file = token;
	/* A credential sent in clear can be replayed by its receiver: the rules of the token apply to it. */
	b.has_token = b.munge;
	if (token && !b.munge)
		add_token(&b, token);
	char *url = create_url(&b, host, port, "/rpc");
	b.rpc = create_handle(&b, url, socket, on_answer);
	curl_free(url);
	if (with_events) {
		url = create_url(&b, host, port, "/events");
		b.events = create_handle(&b, url, socket, on_stream);
		curl_free(url);
		set_credential(&b, b.events);
		curl_multi_add_handle(b.multi, b.events);
	}
	run_bridge(&b);
}
