/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/lib/uri.c. */
#include "uri.h"

#include <string.h>

#include "check_main.h"

static void assert_uri(const char *s, const char *expected)
{
	struct uri uri = {0};
	struct error *f = uri_parse(s, &uri);

	ck_assert_msg(!f, "%s: %s", s, f ? f->message : "");
	char *text = uri_format(&uri);
	ck_assert_str_eq(text, expected);
	free(text);
	uri_deinit(&uri);
}

static void assert_bad(const char *s, const char *message)
{
	struct uri uri = {0};
	struct error *f = uri_parse(s, &uri);

	ck_assert_msg(f, "%s was accepted", s);
	ck_assert_int_eq(f->code, ERR_USAGE);
	ck_assert_msg(strstr(f->message, message), "%s: %s", s, f->message);
	ck_assert_ptr_null(uri.path);
	ck_assert_ptr_null(uri.host);
	error_destroy(f);
}

START_TEST(test_uri_unix_paths)
{
	assert_uri("unix:/run/user/7/ompdd/ompdd.sock", "unix:/run/user/7/ompdd/ompdd.sock");
	assert_uri("unix:relative.sock", "unix:relative.sock");
	assert_uri("/plain/path", "unix:/plain/path");
	assert_uri("./x/y", "unix:./x/y");
}
END_TEST

START_TEST(test_uri_tcp_forms)
{
	assert_uri("tcp:127.0.0.1:4711", "tcp:127.0.0.1:4711");
	assert_uri("tcp:node7.cluster:1", "tcp:node7.cluster:1");
	assert_uri("tcp:65535", "tcp:127.0.0.1:65535");
	assert_uri("tcp:[::1]:80", "tcp:[::1]:80");
	assert_uri("http:[::1]:80", "http:[::1]:80");
	assert_uri("http:80", "http:127.0.0.1:80");
	assert_uri("http://localhost:80", "http:localhost:80");
	assert_uri("http://localhost:80/", "http:localhost:80");
	assert_uri("http+unix:/run/x.sock", "http+unix:/run/x.sock");
}
END_TEST

START_TEST(test_uri_mistakes_are_named)
{
	assert_bad("", "not an address");
	assert_bad("localhost", "not an address");
	assert_bad("unix:", "without a path");
	assert_bad("tcp:", "no port");
	assert_bad("tcp:localhost", "no port");
	assert_bad("tcp:localhost:", "not a port");
	assert_bad("tcp:localhost:0", "not a port");
	assert_bad("tcp:localhost:65536", "not a port");
	assert_bad("tcp:localhost:80x", "not a port");
	assert_bad("tcp:localhost:-1", "not a port");
	assert_bad("tcp::80", "no host");
	assert_bad("tcp:[]:80", "no host");
	assert_bad("tcp:[::1]", "no ]:PORT");
	assert_bad("tcp:[::1", "no ]:PORT");
	assert_bad("tcp:::1:80", "brackets");
	assert_uri("https://localhost:80/", "https:localhost:80");
	assert_uri("tls:[::1]:80", "tls:[::1]:80");
	assert_bad("tls:localhost", "no port");
	assert_bad("http://localhost:80/path", "not a port");
	assert_bad("http:localhost", "no port in http:localhost");
}
END_TEST

START_TEST(test_uri_too_long_a_path_is_refused)
{
	char s[200] = "unix:/";

	memset(s + 6, 'x', 106);
	assert_uri(s, s); /* sun_path takes 107 bytes */
	memset(s + 6, 'x', 107);
	assert_bad(s, "longer than 107 bytes");
}
END_TEST

START_TEST(test_uri_default_is_in_the_folder_of_the_user)
{
	struct uri uri = {0};

	setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
	ck_assert_ptr_null(uri_default(7, &uri));
	ck_assert_int_eq(uri.kind, URI_UNIX);
	ck_assert_str_eq(uri.path, "/run/user/7/ompdd/ompdd.sock");
	uri_deinit(&uri);
}
END_TEST

START_TEST(test_uri_of_the_node)
{
	const char *const cases[][2] = {{NULL, "unix:/run/ompdd/ompdd.sock"},
					{"", "unix:/run/ompdd/ompdd.sock"},
					{"unix:/srv/ompdd", "unix:/srv/ompdd"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct uri uri = {0};

		ck_assert_ptr_null(uri_node(cases[i][0], &uri));
		char *text = uri_format(&uri);
		ck_assert_str_eq(text, cases[i][1]);
		free(text);
		uri_deinit(&uri);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("uri");
	TCase *parse = tcase_create("uri_parse");
	TCase *fallback = tcase_create("uri_default");

	tcase_add_test(parse, test_uri_unix_paths);
	tcase_add_test(parse, test_uri_tcp_forms);
	tcase_add_test(parse, test_uri_mistakes_are_named);
	tcase_add_test(parse, test_uri_too_long_a_path_is_refused);
	suite_add_tcase(suite, parse);
	tcase_add_test(fallback, test_uri_default_is_in_the_folder_of_the_user);
	tcase_add_test(fallback, test_uri_of_the_node);
	suite_add_tcase(suite, fallback);
	return check_main(suite);
}
