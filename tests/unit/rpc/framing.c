/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of rpc/framing: texts from bytes, whole, in pieces, malformed and over-long. */
#include "check_main.h"

#include <string.h>

#include "rpc/framing.h"

#define MAX_MESSAGE 64

static struct framing f;
static struct buf in;
static const char *text;
static size_t len;

static void setup(void)
{
	framing_init(&f, false, MAX_MESSAGE);
	in = (struct buf){0};
}

static void teardown(void)
{
	buf_deinit(&in);
}

static void feed(const char *bytes)
{
	ck_assert_no_err(buf_append(&in, bytes, strlen(bytes)));
}

/* Checks that the next text is @expected; NULL: more bytes are needed. */
static void expect(const char *expected)
{
	ck_assert_no_err(framing_next(&f, &in, false, &text, &len));
	if (!expected) {
		ck_assert_ptr_null(text);
		return;
	}
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(len, strlen(expected));
	ck_assert_mem_eq(text, expected, len);
	framing_done(&f, &in, len);
}

static void expect_error(enum error_code code)
{
	ck_assert_err(framing_next(&f, &in, false, &text, &len), code);
}

START_TEST(test_framing_first_byte_brace_or_bracket_is_lines)
{
	feed("{\"a\":1}\n");
	expect("{\"a\":1}");
	ck_assert_int_eq(f.kind, FRAMING_LINES);
	framing_init(&f, false, MAX_MESSAGE);
	feed("[1]\n");
	expect("[1]");
	ck_assert_int_eq(f.kind, FRAMING_LINES);
}
END_TEST

START_TEST(test_framing_nothing_yet_waits)
{
	expect(NULL);
	ck_assert_int_eq(f.kind, FRAMING_UNKNOWN);
	feed(" \r\n\t");
	expect(NULL);
	ck_assert_int_eq(f.kind, FRAMING_UNKNOWN);
	ck_assert_uint_eq(in.len, 0);
}
END_TEST

START_TEST(test_framing_lines_byte_by_byte)
{
	static const char bytes[] = "{\"a\":1}\n\n  [2]\r\n";
	char one[2] = "";
	int found = 0;

	for (size_t i = 0; i < strlen(bytes); i++) {
		one[0] = bytes[i];
		feed(one);
		ck_assert_no_err(framing_next(&f, &in, false, &text, &len));
		if (!text)
			continue;
		ck_assert_int_eq(bytes[i], '\n');
		ck_assert_mem_eq(text, found ? "[2]" : "{\"a\":1}", found ? 3 : 7);
		framing_done(&f, &in, len);
		found++;
	}
	ck_assert_int_eq(found, 2);
}
END_TEST

START_TEST(test_framing_lines_several_in_one_read)
{
	feed("{}\n{\"b\":2}\n[3]\n{");
	expect("{}");
	expect("{\"b\":2}");
	expect("[3]");
	expect(NULL);
}
END_TEST

START_TEST(test_framing_last_line_without_newline_counts_at_the_end)
{
	feed("{\"a\":1}");
	expect(NULL);
	ck_assert_no_err(framing_next(&f, &in, true, &text, &len));
	ck_assert_uint_eq(len, 7);
	framing_done(&f, &in, len);
	ck_assert_no_err(framing_next(&f, &in, true, &text, &len));
	ck_assert_ptr_null(text);
}
END_TEST

START_TEST(test_framing_line_of_exactly_the_limit_passes)
{
	char line[MAX_MESSAGE + 2];

	memset(line, '{', MAX_MESSAGE);
	memcpy(line + MAX_MESSAGE, "\n", 2);
	feed(line);
	ck_assert_no_err(framing_next(&f, &in, false, &text, &len));
	ck_assert_uint_eq(len, MAX_MESSAGE);
}
END_TEST

START_TEST(test_framing_line_beyond_the_limit_fails_before_its_end)
{
	char line[MAX_MESSAGE + 2] = "";

	memset(line, '{', MAX_MESSAGE + 1);
	feed(line);
	expect_error(ERR_LIMIT_EXCEEDED);
}
END_TEST

START_TEST(test_framing_endless_white_space_takes_no_memory)
{
	char blank[512];

	memset(blank, ' ', sizeof(blank));
	for (int i = 0; i < 10000; i++) {
		ck_assert_no_err(buf_append(&in, blank, sizeof(blank)));
		expect(NULL);
	}
	ck_assert_uint_le(in.cap, 65536);
}
END_TEST

START_TEST(test_framing_content_length_byte_by_byte)
{
	static const char bytes[] = "Content-Length: 7\r\n\r\n{\"a\":1}Content-Length: 2\r\n\r\n{}";
	char one[2] = "";
	int found = 0;

	for (size_t i = 0; i < strlen(bytes); i++) {
		one[0] = bytes[i];
		feed(one);
		ck_assert_no_err(framing_next(&f, &in, false, &text, &len));
		if (!text)
			continue;
		ck_assert_uint_eq(len, found ? 2 : 7);
		ck_assert_mem_eq(text, found ? "{}" : "{\"a\":1}", len);
		framing_done(&f, &in, len);
		found++;
	}
	ck_assert_int_eq(found, 2);
	ck_assert_int_eq(f.kind, FRAMING_CONTENT_LENGTH);
}
END_TEST

START_TEST(test_framing_content_length_ignores_other_headers_and_case)
{
	feed("Content-Type: application/json\r\ncontent-LENGTH:\t2 \r\n\r\n{}");
	expect("{}");
}
END_TEST

START_TEST(test_framing_content_length_of_exactly_the_limit_passes)
{
	feed("Content-Length: 64\r\n\r\n");
	expect(NULL);
	for (int i = 0; i < 64; i++)
		feed(" ");
	ck_assert_no_err(framing_next(&f, &in, false, &text, &len));
	ck_assert_uint_eq(len, 64);
}
END_TEST

START_TEST(test_framing_content_length_beyond_the_limit_fails_at_the_header)
{
	feed("Content-Length: 65\r\n\r\n");
	expect_error(ERR_LIMIT_EXCEEDED);
}
END_TEST

START_TEST(test_framing_content_length_that_overflows_fails)
{
	feed("Content-Length: 18446744073709551618\r\n\r\n{}");
	expect_error(ERR_LIMIT_EXCEEDED);
}
END_TEST

static const char *const bad_headers[] = {
	"Content-Length: x\r\n\r\n",
	"Content-Length: -1\r\n\r\n",
	"Content-Length: +1\r\n\r\n",
	"Content-Length: 1 2\r\n\r\n",
	"Content-Length: 0\r\n\r\n",
	"Content-Length:\r\n\r\n",
	"Content-Length: 2\r\nContent-Length: 3\r\n\r\n",
	"Content-Type: text/plain\r\n\r\n",
	"Content-Length 2\r\n\r\n",
	"Content-Length: 2\r\n: x\r\n\r\n",
	"CONNECT example.org:443 HTTP/1.1\r\n\r\n",
	"C\r\n\r\n",
	"Content-Length: 2\r\nX: \x01\r\n\r\n",
	"Content-Length: 2\nX: y\r\n\r\n",
};

START_TEST(test_framing_malformed_header_fails)
{
	feed(bad_headers[_i]);
	expect_error(ERR_PARSE_ERROR);
}
END_TEST

START_TEST(test_framing_header_without_end_fails)
{
	feed("Content-Length: 2\r\nX: ");
	for (int i = 0; i < 1100; i++)
		feed("y");
	expect_error(ERR_PARSE_ERROR);
}
END_TEST

/* Sends a header block of @size bytes, byte by byte; returns whether it was accepted. */
static bool header_passes(size_t size)
{
	static const char begin[] = "Content-Length: 2\r\nX: ";
	struct error *err = NULL;

	framing_init(&f, false, MAX_MESSAGE);
	buf_consume(&in, in.len);
	text = NULL;
	feed(begin);
	for (size_t i = strlen(begin); i < size; i++)
		feed("y");
	for (const char *p = "\r\n\r\n{}"; !err && *p; p++) {
		ck_assert_no_err(buf_append(&in, p, 1));
		err = framing_next(&f, &in, false, &text, &len);
	}
	bool passed = !err && text != NULL;
	error_destroy(err);
	return passed;
}

START_TEST(test_framing_header_length_is_bounded_exactly)
{
	ck_assert(header_passes(1024));
	ck_assert(!header_passes(1025));
}
END_TEST

START_TEST(test_framing_cut_off_frame_fails_at_the_end)
{
	static const char *const halves[] = {"Content-Len", "Content-Length: 5\r\n\r\n", "Content-Length: 5\r\n\r\n{}"};

	feed(halves[_i]);
	expect(NULL);
	ck_assert_err(framing_next(&f, &in, true, &text, &len), ERR_PARSE_ERROR);
}
END_TEST

static const char *const garbage[] = {
	"x", "\x01\x02", "\"a\"", "1\n", "<html>", "\xef\xbb\xbf{}", "}", "\x16\x03\x01", "null\n", "c", "EHLO x",
};

START_TEST(test_framing_garbage_fails)
{
	feed(garbage[_i]);
	expect_error(ERR_PARSE_ERROR);
}
END_TEST

static const char *const verbs[] = {"GET / HTTP/1.1\r\n", "POST ", "PUT ", "PATCH ", "HEAD ", "DELETE ",
				    "OPTIONS ",		  "TRACE "};

START_TEST(test_framing_http_verb_is_http_where_allowed)
{
	framing_init(&f, true, MAX_MESSAGE);
	feed(verbs[_i]);
	expect(NULL);
	ck_assert_int_eq(f.kind, FRAMING_HTTP);
	ck_assert_uint_eq(in.len, strlen(verbs[_i]));
	expect(NULL);
}
END_TEST

START_TEST(test_framing_http_verb_elsewhere_is_named)
{
	feed(verbs[_i]);
	struct error *err = framing_next(&f, &in, false, &text, &len);

	ck_assert_ptr_nonnull(err);
	ck_assert_ptr_nonnull(strstr(err->message, "HTTP"));
	ck_assert_err(err, ERR_PARSE_ERROR);
}
END_TEST

START_TEST(test_framing_error_leaves_out_parameters_alone)
{
	text = "before";
	len = 99;
	feed("x");
	expect_error(ERR_PARSE_ERROR);
	ck_assert_str_eq(text, "before");
	ck_assert_uint_eq(len, 99);
}
END_TEST

START_TEST(test_framing_write_lines)
{
	ck_assert_no_err(framing_write(&f, &in, "{}", 2));
	f.kind = FRAMING_LINES;
	ck_assert_no_err(framing_write(&f, &in, "[]", 2));
	ck_assert_uint_eq(in.len, 6);
	ck_assert_mem_eq(buf_head(&in), "{}\n[]\n", 6);
}
END_TEST

START_TEST(test_framing_write_content_length_reads_back)
{
	f.kind = FRAMING_CONTENT_LENGTH;
	ck_assert_no_err(framing_write(&f, &in, "{\"a\":1}", 7));
	ck_assert_uint_eq(in.len, 21 + 7);
	framing_init(&f, false, MAX_MESSAGE);
	expect("{\"a\":1}");
}
END_TEST

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

int main(void)
{
	Suite *suite = suite_create("rpc/framing");
	TCase *tc = tcase_create("framing_next");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_framing_first_byte_brace_or_bracket_is_lines);
	tcase_add_test(tc, test_framing_nothing_yet_waits);
	tcase_add_test(tc, test_framing_lines_byte_by_byte);
	tcase_add_test(tc, test_framing_lines_several_in_one_read);
	tcase_add_test(tc, test_framing_last_line_without_newline_counts_at_the_end);
	tcase_add_test(tc, test_framing_line_of_exactly_the_limit_passes);
	tcase_add_test(tc, test_framing_line_beyond_the_limit_fails_before_its_end);
	tcase_add_test(tc, test_framing_endless_white_space_takes_no_memory);
	tcase_add_test(tc, test_framing_content_length_byte_by_byte);
	tcase_add_test(tc, test_framing_content_length_ignores_other_headers_and_case);
	tcase_add_test(tc, test_framing_content_length_of_exactly_the_limit_passes);
	tcase_add_test(tc, test_framing_content_length_beyond_the_limit_fails_at_the_header);
	tcase_add_test(tc, test_framing_content_length_that_overflows_fails);
	tcase_add_loop_test(tc, test_framing_malformed_header_fails, 0, COUNT(bad_headers));
	tcase_add_test(tc, test_framing_header_without_end_fails);
	tcase_add_test(tc, test_framing_header_length_is_bounded_exactly);
	tcase_add_loop_test(tc, test_framing_cut_off_frame_fails_at_the_end, 0, 3);
	tcase_add_loop_test(tc, test_framing_garbage_fails, 0, COUNT(garbage));
	tcase_add_loop_test(tc, test_framing_http_verb_is_http_where_allowed, 0, COUNT(verbs));
	tcase_add_loop_test(tc, test_framing_http_verb_elsewhere_is_named, 0, COUNT(verbs));
	tcase_add_test(tc, test_framing_error_leaves_out_parameters_alone);
	suite_add_tcase(suite, tc);

	tc = tcase_create("framing_write");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_framing_write_lines);
	tcase_add_test(tc, test_framing_write_content_length_reads_back);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
