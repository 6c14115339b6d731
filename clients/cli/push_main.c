/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ompdctl-push URL NAME FROM UNTIL: sends the profile on standard input (pprof, gzip) to Pyroscope's POST /ingest. It
 * is a separate program, so that ompdctl loads libcurl only when needed. NAME is the name of the application; FROM and
 * UNTIL are seconds since 1970. If the server does not accept the profile, prints why and exits with 1.
 */
#include <curl/curl.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exit_code.h"
#include "text.h"

#define CONNECT_MS   10000L
#define TRANSFER_MS  60000L
#define MAX_PROFILE  (64U << 20)
#define MAX_ANSWER   65536
#define MAX_SHOWN    200
#define READ_SIZE    65536
#define STATUS_OK    200
#define STATUS_ABOVE 299

/* The sample types of formats/pprof.c, in the form of Pyroscope's documentation. */
static const char sample_types[] =
	"{\"samples\":{\"units\":\"samples\",\"display-name\":\"samples\",\"aggregation\":\"sum\",\"sampled\":true},"
	"\"time\":{\"units\":\"nanoseconds\",\"display-name\":\"time\",\"aggregation\":\"sum\",\"sampled\":true}}";

static void __attribute__((noreturn)) give_up(const char *what, const char *why)
{
	struct buf t = {0};

	text_printf(&t, "%s: ", what);
	text_add_safe(&t, why, 1);
	printf("%s\n", t.data);
	exit(EXIT_ANSWER);
}

static void read_profile(struct buf *ret)
{
	static char chunk[READ_SIZE];
	ssize_t n;

	while ((n = read(STDIN_FILENO, chunk, sizeof(chunk))) > 0) {
		if (ret->len + (size_t)n > MAX_PROFILE)
			give_up("cannot read the profile", "it is larger than 64 MiB");
		text_add_bytes(ret, chunk, (size_t)n);
	}
	if (n < 0)
		give_up("cannot read the profile", "read failed");
}

/* Keep the start of the answer, for a message. A longer answer than MAX_ANSWER ends the transfer. */
static size_t on_answer(char *data, size_t one, size_t len, void *arg)
{
	struct buf *answer = arg;

	(void)one;
	if (len > MAX_ANSWER - answer->len)
		return 0;
	text_add_bytes(answer, data, len);
	return len;
}

/* Return URL/ingest with its parameters; the caller frees it with curl_free(). */
static char *create_url(const char *base, const char *name, const char *from, const char *until)
{
	const char *const fields[][2] = {
		{"name", name}, {"from", from}, {"until", until}, {"format", "pprof"}, {"spyName", "ompdd"}};
	CURLU *url = curl_url();
	char *path = NULL, *ret = NULL;
	struct buf t = {0};

	if (!url || curl_url_set(url, CURLUPART_URL, base, 0) || curl_url_get(url, CURLUPART_PATH, &path, 0))
		give_up("wrong URL", base);
	size_t len = strlen(path);
	while (len && path[len - 1] == '/')
		len--;
	text_printf(&t, "%.*s/ingest", (int)len, path);
	int is_wrong = curl_url_set(url, CURLUPART_PATH, t.data, 0) != CURLUE_OK;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		buf_deinit(&t);
		text_printf(&t, "%s=%s", fields[i][0], fields[i][1]);
		is_wrong |=
			curl_url_set(url, CURLUPART_QUERY, t.data, CURLU_APPENDQUERY | CURLU_URLENCODE) != CURLUE_OK;
	}
	if (is_wrong || curl_url_get(url, CURLUPART_URL, &ret, 0))
		give_up("wrong URL", base);
	buf_deinit(&t);
	curl_free(path);
	curl_url_cleanup(url);
	return ret;
}

static curl_mime *create_body(CURL *easy, const struct buf *profile)
{
	curl_mime *body = curl_mime_init(easy);
	curl_mimepart *part = curl_mime_addpart(body);

	curl_mime_name(part, "profile");
	curl_mime_filename(part, "profile.pb.gz");
	if (curl_mime_data(part, profile->data ? profile->data : "", profile->len))
		give_up("cannot send the profile", "libcurl failed");
	part = curl_mime_addpart(body);
	curl_mime_name(part, "sample_type_config");
	curl_mime_filename(part, "sample_type_config.json");
	curl_mime_data(part, sample_types, CURL_ZERO_TERMINATED);
	return body;
}

static void set_options(CURL *easy, const char *url, curl_mime *body, char *error, struct buf *answer)
{
	/* No redirections: the profile goes only where the rule says. */
	if (curl_easy_setopt(easy, CURLOPT_URL, url) || curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") ||
	    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L) || curl_easy_setopt(easy, CURLOPT_MIMEPOST, body) ||
	    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) ||
	    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS) ||
	    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, TRANSFER_MS) ||
	    curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL) ||
	    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error) ||
	    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_answer) ||
	    curl_easy_setopt(easy, CURLOPT_WRITEDATA, answer))
		give_up("cannot send the profile", "libcurl cannot do this");
}

int main(int argc, char **argv)
{
	struct buf profile = {0}, answer = {0}, status_text = {0};
	char error[CURL_ERROR_SIZE] = "";
	long status = 0;

	if (argc != 5)
		return EXIT_USAGE;
	read_profile(&profile);
	CURL *easy = curl_global_init(CURL_GLOBAL_DEFAULT) ? NULL : curl_easy_init();
	if (!easy)
		give_up("cannot send the profile", "libcurl failed");
	char *url = create_url(argv[1], argv[2], argv[3], argv[4]);
	curl_mime *body = create_body(easy, &profile);
	set_options(easy, url, body, error, &answer);
	CURLcode code = curl_easy_perform(easy);
	if (code != CURLE_OK)
		give_up(argv[1], *error ? error : curl_easy_strerror(code));
	curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
	if (status < STATUS_OK || status > STATUS_ABOVE) {
		text_add_bytes(&answer, "", 1);
		answer.data[strcspn(answer.data, "\r\n")] = 0;
		text_printf(&status_text, "HTTP status %ld%s%.*s", status, *answer.data ? ": " : "", MAX_SHOWN,
			    answer.data);
		give_up(argv[1], status_text.data);
	}
	curl_mime_free(body);
	curl_easy_cleanup(easy);
	curl_free(url);
	buf_deinit(&profile);
	buf_deinit(&answer);
	curl_global_cleanup();
	return EXIT_OK;
}
