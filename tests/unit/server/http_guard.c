/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of server/http_guard: Host, Origin, bearer token, content type. */
#include "check_main.h"

#include <string.h>

#include "server/http_guard.h"

static const struct {
	const char *bound;
	const char *host;
	bool allowed;
} hosts[] = {
	{"http:127.0.0.1:8080", "127.0.0.1:8080", true},
	{"http:127.0.0.1:8080", "localhost:8080", true},
	{"http:127.0.0.1:8080", "LocalHost:8080", true},
	{"http:127.0.0.1:8080", "[::1]:8080", true},
	{"http:127.0.0.1:8080", "127.0.0.1", false},
	{"http:127.0.0.1:8080", "127.0.0.1:80", false},
	{"http:127.0.0.1:8080", "127.0.0.1:80800", false},
	{"http:127.0.0.1:8080", "localhost.:8080", false},
	{"http:127.0.0.1:8080", "localhost6:8080", false},
	{"http:127.0.0.1:8080", "localhost.evil.org:8080", false},
	{"http:127.0.0.1:8080", "evil.org:8080", false},
	{"http:127.0.0.1:8080", "127.0.0.1.nip.io:8080", false},
	{"http:127.0.0.1:8080", "", false},
	{"http:127.0.0.1:8080", NULL, false},
	{"http:127.0.0.1:8080", "10.1.2.3:8080", false},
	{"http:0.0.0.0:8080", "10.1.2.3:8080", true},
	{"http:0.0.0.0:8080", "127.0.0.1:8080", true},
	{"http:0.0.0.0:8080", "10.1.2.3:8081", false},
	{"http:0.0.0.0:8080", "10.1.2.3", false},
	{"http:0.0.0.0:8080", "8080", false},
	{"http:0.0.0.0:8080", "evil.org:8080", false},
	{"http:[::]:8080", "[2001:db8::1]:8080", true},
	{"http:[::]:80", "[2001:db8::1]", true},
	{"http:127.0.0.1:80", "localhost", true},
	{"http:127.0.0.1:80", "localhost:80", true},
	{"http:10.0.0.7:8080", "10.0.0.7:8080", true},
	{"http:10.0.0.7:8080", "10.0.0.8:8080", false},
	{"http:[fe80::1]:8080", "[fe80::1]:8080", true},
	{"http:[::1]:8080", "[::1]:8080", true},
	{"unix:/x", "anything", true},
	{"unix:/x", NULL, true},
};

START_TEST(test_host)
{
	struct address bound;

	ck_assert_no_err(address_parse(hosts[_i].bound, &bound));
	ck_assert_int_eq(http_guard_host(hosts[_i].host, &bound), hosts[_i].allowed);
}
END_TEST

static const struct {
	const char *origin;
	bool allowed;
} origins[] = {
	{"https://dash.example:8443", true},
	{"HTTPS://dash.example:8443", true},
	{"https://dash.example", false},
	{"https://dash.example:8443.evil.org", false},
	{"http://dash.example:8443", false},
	{"null", false},
	{"", false},
};

START_TEST(test_origin)
{
	/* Every sandboxed page sends "null": a rule that allows it allows all pages. */
	static const char *const allowed[] = {"https://dash.example:8443", "null"};

	ck_assert_int_eq(http_guard_origin(origins[_i].origin, allowed, 2), origins[_i].allowed);
	ck_assert(!http_guard_origin(origins[_i].origin, NULL, 0));
}
END_TEST

static const struct {
	const char *bound, *host, *origin;
	bool own;
} pages[] = {
	{"http:127.0.0.1:8080", "127.0.0.1:8080", "http://127.0.0.1:8080", true},
	{"http:127.0.0.1:8080", "LOCALHOST:8080", "http://localhost:8080", true},
	{"http:127.0.0.1:80", "127.0.0.1", "http://127.0.0.1", true},
	{"http:127.0.0.1:8080", "127.0.0.1:8080", "http://localhost:8080", false},
	{"http:127.0.0.1:8080", "127.0.0.1:8080", "https://127.0.0.1:8080", false},
	{"https:127.0.0.1:8080", "127.0.0.1:8080", "https://127.0.0.1:8080", true},
	{"https:127.0.0.1:8080", "127.0.0.1:8080", "http://127.0.0.1:8080", false},
	{"http:127.0.0.1:8080", "127.0.0.1:8080", "http://127.0.0.1:80800", false},
	{"http:127.0.0.1:8080", "127.0.0.1:8080", "http://127.0.0.1", false},
	{"http:127.0.0.1:8080", "127.0.0.1:8080", "null", false},
	{"http:127.0.0.1:8080", "127.0.0.1:8080", "", false},
	{"http:127.0.0.1:8080", NULL, "http://127.0.0.1:8080", false},
	/* Any host passes there, so it proves nothing. */
	{"unix:/x", "localhost", "http://localhost", false},
};

START_TEST(test_own_origin)
{
	struct address bound;

	ck_assert_no_err(address_parse(pages[_i].bound, &bound));
	ck_assert_int_eq(http_guard_own_origin(pages[_i].origin, pages[_i].host, &bound), pages[_i].own);
}
END_TEST

static const struct {
	const char *text;
	enum http_guess guess;
} guesses[] = {
	{"", GUESS_MAYBE_HTTP},	       {"G", GUESS_MAYBE_HTTP},	       {"GET", GUESS_MAYBE_HTTP},
	{"GET ", GUESS_HTTP},	       {"GET / HTTP/1.1", GUESS_HTTP}, {"POST /rpc", GUESS_HTTP},
	{"P", GUESS_MAYBE_HTTP},       {"OPTIONS *", GUESS_HTTP},      {"GARBAGE", GUESS_NOT_HTTP},
	{"get /", GUESS_NOT_HTTP},     {"{\"jsonrpc", GUESS_NOT_HTTP}, {"Content-Length", GUESS_NOT_HTTP},
	{"CONNECT x", GUESS_NOT_HTTP}, {"\001", GUESS_NOT_HTTP},
};

START_TEST(test_guess)
{
	ck_assert_int_eq(http_guard_guess(guesses[_i].text, strlen(guesses[_i].text)), guesses[_i].guess);
}
END_TEST

START_TEST(test_site)
{
	ck_assert(http_guard_site(NULL));
	ck_assert(http_guard_site("none"));
	ck_assert(http_guard_site("same-origin"));
	ck_assert(http_guard_site("Same-Origin"));
	ck_assert(!http_guard_site("same-site"));
	ck_assert(!http_guard_site("cross-site"));
	ck_assert(!http_guard_site("same-origin, none"));
	ck_assert(!http_guard_site(""));
}
END_TEST

START_TEST(test_bearer)
{
	ck_assert_str_eq(http_guard_credentials("Bearer abc", "Bearer"), "abc");
	ck_assert_str_eq(http_guard_credentials("bearer   abc", "Bearer"), "abc");
	ck_assert_str_eq(http_guard_credentials("Bearer ", "Bearer"), "");
	ck_assert_ptr_null(http_guard_credentials("Bearer", "Bearer"));
	ck_assert_ptr_null(http_guard_credentials("Basic abc", "Bearer"));
	ck_assert_ptr_null(http_guard_credentials(NULL, "Bearer"));
}
END_TEST

START_TEST(test_content_type)
{
	ck_assert(http_guard_is_json("application/json"));
	ck_assert(http_guard_is_json("Application/JSON; charset=utf-8"));
	ck_assert(!http_guard_is_json("application/jsonp"));
	ck_assert(!http_guard_is_json("text/plain"));
	ck_assert(!http_guard_is_json("text/plain; application/json"));
	ck_assert(!http_guard_is_json(""));
	ck_assert(!http_guard_is_json(NULL));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("http_guard");
	TCase *t = tcase_create("http_guard");

	tcase_add_loop_test(t, test_host, 0, sizeof(hosts) / sizeof(hosts[0]));
	tcase_add_loop_test(t, test_origin, 0, sizeof(origins) / sizeof(origins[0]));
	tcase_add_loop_test(t, test_own_origin, 0, sizeof(pages) / sizeof(pages[0]));
	tcase_add_loop_test(t, test_guess, 0, sizeof(guesses) / sizeof(guesses[0]));
	tcase_add_test(t, test_site);
	tcase_add_test(t, test_bearer);
	tcase_add_test(t, test_content_type);
	suite_add_tcase(s, t);
	return check_main(s);
}
