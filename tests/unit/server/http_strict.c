/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of server/http_strict: refused headers. */
#include "check_main.h"

#include <string.h>

#include "server/http_strict.h"

static const struct {
	struct http_field fields[3];
	bool good;
} rows[] = {
	{{{"Host", "localhost"}, {"Content-Length", "5"}, {"Accept", "*/*"}}, true},
	{{{"Accept", "a"}, {"accept", "b"}}, true},
	{{{"X", ""}, {"Y", "\t \xc3\xa9"}}, true},
	{{{"Transfer-Encoding", "Chunked"}}, true},
	{{{"Content-Length", "999999999999999999"}}, true},
	{{{"Host", "a"}, {"X", "b"}, {"hOST", "a"}}, false},
	{{{"Content-Length", "5"}, {"Transfer-Encoding", "chunked"}}, false},
	{{{"Content-Length", "5 "}}, false},
	{{{"Content-Length", ""}}, false},
	{{{"Content-Length", "+5"}}, false},
	{{{"Content-Length", "9999999999999999999"}}, false},
	{{{"Transfer-Encoding", "gzip, chunked"}}, false},
	{{{"Transfer-Encoding", ""}}, false},
	{{{"", "x"}}, false},
	{{{"X ", "x"}}, false},
	{{{"X", "a\rb"}}, false},
	{{{"X", "a\x7f"}}, false},
};

START_TEST(test_fields)
{
	size_t n = 0;

	while (n < 3 && rows[_i].fields[n].name)
		n++;
	ck_assert_msg((http_strict_fields(rows[_i].fields, n) == NULL) == rows[_i].good, "row %d", _i);
}
END_TEST

START_TEST(test_too_many)
{
	struct http_field many[HTTP_STRICT_MAX_FIELDS + 1];

	for (size_t i = 0; i <= HTTP_STRICT_MAX_FIELDS; i++)
		many[i] = (struct http_field){"X", "y"};
	ck_assert_ptr_null(http_strict_fields(many, HTTP_STRICT_MAX_FIELDS));
	ck_assert_ptr_nonnull(http_strict_fields(many, HTTP_STRICT_MAX_FIELDS + 1));
}
END_TEST

/* The text as libmicrohttpd cuts it: with NULs in place of the separators. */
static bool is_plain(const char *text, size_t len, size_t at_url, size_t at_version, size_t at_name, size_t at_value)
{
	const struct http_field field = {text + at_name, text + at_value};

	return http_strict_is_plain(text, text + at_url, text + at_version, &field, 1, len);
}

START_TEST(test_as_it_lay)
{
#define PLAIN(text, url, version, name, value) is_plain(text, sizeof(text) - 1, url, version, name, value)
	ck_assert(PLAIN("GET\0/a\0V\0\0N\0\0v\0\0\r\n", 4, 7, 10, 13));
	ck_assert(PLAIN("GET\0/a\0V\0\0N\0v\0\0\r\n", 4, 7, 10, 12));
	/* Bytes between the path and the version, after the version, within the value or behind it. */
	ck_assert(!PLAIN("GET\0/a\0x\0V\0\0N\0\0v\0\0\r\n", 4, 9, 12, 15));
	ck_assert(!PLAIN("GET\0/a\0V\0N\0\0v\0\0\r\n", 4, 7, 9, 12));
	ck_assert(!PLAIN("GET\0/a\0V\0\0N\0\0\0v\0\0\r\n", 4, 7, 10, 14));
	ck_assert(!PLAIN("GET\0/a\0V\0\0N\0\0v\0x\0\0\r\n", 4, 7, 10, 13));
	ck_assert(!PLAIN("GET\0/a\0V\0\0N\0\0v\0\0\n", 4, 7, 10, 13));
#undef PLAIN
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("http_strict");
	TCase *tcase = tcase_create("all");

	tcase_add_loop_test(tcase, test_fields, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(tcase, test_too_many);
	tcase_add_test(tcase, test_as_it_lay);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
