/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of server/http_asset: the page's files, and the headers that request a form of them. */
#include "check_main.h"

#include <string.h>
#include <zlib.h>

#include "server/http_asset.h"

/* The budget counts 1000 bytes per kilobyte. */
#define BUDGET (150 * 1000)

static const struct http_asset asset = {.path = "/x", .etag = "\"abc\""};

static const struct {
	const char *header;
	bool known;
} matches[] = {
	{NULL, false},
	{"", false},
	{"\"abc\"", true},
	{"W/\"abc\"", true},
	{" \"abc\" ", true},
	{"\"x\", \"abc\"", true},
	{"\"x\",W/\"abc\" ,\"y\"", true},
	{"*", true},
	{"abc", false},
	{"\"abcd\"", false},
	{"\"ab\"", false},
	{"\"abc\"x", false},
	{",,,", false},
};

START_TEST(test_known)
{
	ck_assert_int_eq(http_asset_is_known(&asset, matches[_i].header), matches[_i].known);
}
END_TEST

static const struct {
	const char *header;
	bool gzip;
} codings[] = {
	{NULL, false},
	{"", false},
	{"gzip", true},
	{"GZip", true},
	{"gzip, deflate, br", true},
	{"br, gzip;q=0.5", true},
	{"gzip;q=0", false},
	{"gzip ; q=0.000", false},
	{"br", false},
	{"x-gzipped", false},
	{"gzipped", false},
	{"*", false},
};

START_TEST(test_coding)
{
	ck_assert_int_eq(http_asset_takes_gzip(codings[_i].header), codings[_i].gzip);
}
END_TEST

START_TEST(test_table)
{
	static unsigned char plain[1 << 20];
	size_t sum = 0;

	ck_assert_ptr_null(http_asset_find("/none"));
	ck_assert_ptr_null(http_asset_find(""));
	for (size_t i = 0; i < n_http_assets; i++) {
		const struct http_asset *a = &http_assets[i];
		z_stream z = {.next_in = (unsigned char *)a->gzip,
			      .avail_in = (unsigned int)a->gzip_len,
			      .next_out = plain,
			      .avail_out = sizeof(plain)};

		ck_assert_ptr_eq(http_asset_find(a->path), a);
		ck_assert(a->etag[0] == '"' && a->etag[strlen(a->etag) - 1] == '"');
		sum += a->gzip_len;
		/* Both forms have the same content. */
		ck_assert_int_eq(inflateInit2(&z, 15 + 16), Z_OK);
		ck_assert_int_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
		ck_assert_uint_eq(z.total_out, a->plain_len);
		ck_assert_mem_eq(plain, a->plain, a->plain_len);
		inflateEnd(&z);
	}
	ck_assert_uint_le(sum, BUDGET);
	ck_assert(!n_http_assets || http_asset_find("/"));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("http_asset");
	TCase *t = tcase_create("http_asset");

	tcase_add_loop_test(t, test_known, 0, sizeof(matches) / sizeof(matches[0]));
	tcase_add_loop_test(t, test_coding, 0, sizeof(codings) / sizeof(codings[0]));
	tcase_add_test(t, test_table);
	suite_add_tcase(s, t);
	return check_main(s);
}
