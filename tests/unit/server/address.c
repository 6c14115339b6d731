/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of server/address: the URIs of --listen. */
#include "check_main.h"

#include "server/address.h"

static const struct {
	const char *uri;
	const char *text; /* NULL: refused */
	bool local;
} uris[] = {
	{"stdio", "stdio", true},
	{"unix:/run/x.sock", "unix:/run/x.sock", true},
	{"unix:relative", "unix:relative", true},
	{"tcp:0", "tcp:127.0.0.1:0", true},
	{"tcp:65535", "tcp:127.0.0.1:65535", true},
	{"tcp:localhost:80", "tcp:127.0.0.1:80", true},
	{"tcp:127.1.2.3:80", "tcp:127.1.2.3:80", true},
	{"tcp:0.0.0.0:80", "tcp:0.0.0.0:80", false},
	{"tcp:10.0.0.1:80", "tcp:10.0.0.1:80", false},
	{"http:[::1]:8080", "http:[::1]:8080", true},
	{"http:[::]:8080", "http:[::]:8080", false},
	{"http:[0:0:0:0:0:0:0:1]:8080", "http:[::1]:8080", true},
	{"http:8080", "http:127.0.0.1:8080", true},
	{"", NULL, false},
	{"unix:", NULL, false},
	{"tcp:", NULL, false},
	{"tcp::80", NULL, false},
	{"tcp:65536", NULL, false},
	{"tcp:-1", NULL, false},
	{"tcp:1x", NULL, false},
	{"tcp:99999999999999999999", NULL, false},
	{"tcp:::1:80", NULL, false},
	{"tcp:[::1]", NULL, false},
	{"tcp:[::1:80", NULL, false},
	{"tcp:localhost6:80", NULL, false},
	{"tcp:example.org:80", NULL, false},
	{"tcp:1.2.3:80", NULL, false},
	{"https:0.0.0.0:80", "https:0.0.0.0:80", false},
	{"tls:[::1]:80", "tls:[::1]:80", true},
	{"tls:80", "tls:127.0.0.1:80", true},
	{"ftp:80", NULL, false},
	{"https:", NULL, false},
	{"stdio:", NULL, false},
};

START_TEST(test_parse_and_format)
{
	struct address a;
	char text[ADDRESS_MAX_TEXT];

	if (!uris[_i].text) {
		ck_assert_err(address_parse(uris[_i].uri, &a), ERR_INVALID_PARAMS);
		return;
	}
	ck_assert_no_err(address_parse(uris[_i].uri, &a));
	address_format(&a, text);
	ck_assert_str_eq(text, uris[_i].text);
	ck_assert_int_eq(address_is_local(&a), uris[_i].local);
}
END_TEST

START_TEST(test_path_longer_than_a_socket_takes_is_refused)
{
	struct address a;
	char uri[200] = "unix:/";

	memset(uri + 6, 'x', 107);
	ck_assert_err(address_parse(uri, &a), ERR_INVALID_PARAMS);
	uri[5 + 107] = '\0';
	ck_assert_no_err(address_parse(uri, &a));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("address");
	TCase *t = tcase_create("address_parse");

	tcase_add_loop_test(t, test_parse_and_format, 0, sizeof(uris) / sizeof(uris[0]));
	tcase_add_test(t, test_path_longer_than_a_socket_takes_is_refused);
	suite_add_tcase(s, t);
	return check_main(s);
}
