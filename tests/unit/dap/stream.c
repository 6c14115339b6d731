/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/dap/stream.c. */
#include "stream.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "check_main.h"
#include "message.h"

struct ends {
	struct loop loop;
	struct stream stream;
	int to, from; /* our ends of the streams that the stream reads and writes */
	size_t n_received, n_over;
	bool with_why;
};

static void received(void *arg, struct json_object *message)
{
	struct ends *e = arg;

	ck_assert_int_eq(dap_message_int(message, "n", -1), (int64_t)e->n_received);
	e->n_received++;
}

static void over(void *arg, const char *why)
{
	struct ends *e = arg;

	e->n_over++;
	e->with_why = why != NULL;
	loop_stop(&e->loop);
}

static void ends_init(struct ends *e)
{
	int in[2], out[2];

	memset(e, 0, sizeof(*e));
	ck_assert(!pipe(in) && !pipe(out));
	stream_open(&e->stream, &e->loop, "test", FRAMING_CONTENT_LENGTH, in[0], out[1]);
	e->stream.received = received;
	e->stream.over = over;
	e->stream.arg = e;
	e->to = in[1];
	e->from = out[0];
}

static void ends_deinit(struct ends *e)
{
	stream_deinit(&e->stream);
	if (e->to >= 0)
		close(e->to);
	close(e->from);
}

static void put(struct ends *e, const char *text)
{
	ck_assert_int_eq(write(e->to, text, strlen(text)), (ssize_t)strlen(text));
}

static void finish(struct ends *e)
{
	close(e->to);
	e->to = -1;
	loop_run(&e->loop);
}

START_TEST(test_stream_messages_in_one_piece_and_in_several)
{
	struct ends e;

	ends_init(&e);
	put(&e, "Content-Length: 7\r\n\r\n{\"n\":0}Content-Length: 7\r\n\r\n{\"n\"");
	put(&e, ":1}Content-Length: 8\r\n\r\n{\"n\":2}\n");
	finish(&e);
	ck_assert_uint_eq(e.n_received, 3);
	ck_assert(e.n_over == 1 && !e.with_why);
	ends_deinit(&e);
}
END_TEST

START_TEST(test_stream_garbage_is_the_end)
{
	static const char *const texts[] = {"Content-Length: 2\r\n\r\n[]", "Content-Length: x\r\n\r\n",
					    "Content-Length: 99999999999\r\n\r\n", "Content-Length: 7\r\n\r\n{\"n\":"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct ends e;

		ends_init(&e);
		put(&e, texts[i]);
		finish(&e);
		ck_assert_uint_eq(e.n_received, 0);
		ck_assert(e.n_over == 1 && e.with_why);
		ends_deinit(&e);
	}
}
END_TEST

START_TEST(test_stream_who_does_not_read_fills_it)
{
	struct ends e;
	struct json_object *message = json_object_new_object();
	char *text = calloc(1, 1 << 20);

	memset(text, 'x', (1 << 20) - 1);
	dap_message_put_string(message, "text", text);
	ends_init(&e);
	ck_assert(!stream_is_full(&e.stream) && stream_is_flushed(&e.stream));
	for (int i = 0; i < 10; i++)
		stream_send(&e.stream, message);
	ck_assert(stream_is_full(&e.stream) && !stream_is_flushed(&e.stream));
	/* The reader closes its end: no data waits any more. */
	stream_close_out(&e.stream);
	ck_assert(!stream_is_full(&e.stream) && stream_is_flushed(&e.stream));
	stream_send(&e.stream, message);
	ends_deinit(&e);
	json_object_put(message);
	free(text);
}
END_TEST

START_TEST(test_stream_paused_takes_nothing)
{
	struct ends e;

	ends_init(&e);
	stream_pause(&e.stream, true);
	put(&e, "Content-Length: 7\r\n\r\n{\"n\":0}");
	ck_assert_int_eq(e.stream.in.events, 0);
	stream_pause(&e.stream, false);
	finish(&e);
	ck_assert_uint_eq(e.n_received, 1);
	ends_deinit(&e);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dap/stream");
	TCase *tcase = tcase_create("stream");

	tcase_add_test(tcase, test_stream_messages_in_one_piece_and_in_several);
	tcase_add_test(tcase, test_stream_garbage_is_the_end);
	tcase_add_test(tcase, test_stream_who_does_not_read_fills_it);
	tcase_add_test(tcase, test_stream_paused_takes_nothing);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
