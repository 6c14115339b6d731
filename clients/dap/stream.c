/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading and writing framed JSON without blocking. */
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <json-c/json.h>

#include "message.h"

#define READ_SIZE (64U << 10)

static void end_stream(struct stream *s, const char *why)
{
	if (s->ended)
		return;
	s->ended = true;
	s->in.events = 0;
	s->over(s->arg, why);
}

/* Pass on the complete messages. */
static void take_messages(struct stream *s)
{
	while (!s->ended && !s->paused) {
		const char *text;
		size_t len;
		struct error *err = framing_next(&s->framing, &s->input, false, &text, &len);

		if (err) {
			end_stream(s, err->message);
			error_destroy(err);
			return;
		}
		if (!text)
			return;
		struct json_object *message = dap_message_parse(text, len);
		framing_done(&s->framing, &s->input, len);
		if (!message) {
			end_stream(s, "it sent a message that is not a JSON object");
			return;
		}
		s->received(s->arg, message);
		json_object_put(message);
	}
}

static void on_readable(void *arg)
{
	struct stream *s = arg;
	char *where;
	struct error *err = buf_reserve(&s->input, READ_SIZE, &where);

	if (err) {
		error_destroy(err);
		end_stream(s, "out of memory");
		return;
	}
	ssize_t n = read(s->in.fd, where, READ_SIZE);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		end_stream(s, s->input.len ? "its output ended within a message" : NULL);
		return;
	}
	buf_commit(&s->input, (size_t)n);
	take_messages(s);
}

static void flush_output(struct stream *s)
{
	while (s->output.len && s->out.fd >= 0) {
		ssize_t n = write(s->out.fd, buf_head(&s->output), s->output.len);

		if (n > 0) {
			buf_consume(&s->output, (size_t)n);
		} else if (errno == EAGAIN) {
			break;
		} else if (errno != EINTR) {
			/* The reader has exited, but its output is still read. */
			stream_close_out(s);
		}
	}
	s->out.events = s->output.len ? POLLOUT : 0;
}

static void on_writable(void *arg)
{
	flush_output(arg);
}

void stream_open(struct stream *s, struct loop *loop, const char *name, enum framing_kind kind, int in, int out)
{
	*s = (struct stream){
		.name = name,
		.in = {.fd = in, .events = POLLIN, .ready = on_readable, .arg = s},
		.out = {.fd = out, .ready = on_writable, .arg = s},
	};
	framing_init(&s->framing, false, STREAM_MAX_MESSAGE);
	s->framing.kind = kind;
	fcntl(in, F_SETFL, fcntl(in, F_GETFL) | O_NONBLOCK);
	fcntl(out, F_SETFL, fcntl(out, F_GETFL) | O_NONBLOCK);
	loop_watch(loop, &s->in);
	loop_watch(loop, &s->out);
}

void stream_send(struct stream *s, struct json_object *message)
{
	size_t len;
	const char *text = json_object_to_json_string_length(
		message, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &len);

	if (s->out.fd < 0)
		return;
	struct error *err = framing_write(&s->framing, &s->output, text, len);
	if (err) {
		error_destroy(err);
		stream_close_out(s);
		return;
	}
	flush_output(s);
}

bool stream_is_full(const struct stream *s)
{
	return s->out.fd >= 0 && s->output.len > STREAM_FULL;
}

bool stream_is_flushed(const struct stream *s)
{
	return s->out.fd < 0 || s->output.len == 0;
}

void stream_pause(struct stream *s, bool paused)
{
	if (s->paused == paused || s->ended)
		return;
	s->paused = paused;
	s->in.events = paused ? 0 : POLLIN;
	if (!paused)
		take_messages(s);
}

void stream_close_out(struct stream *s)
{
	if (s->out.fd < 0)
		return;
	if (s->out.fd == s->in.fd)
		shutdown(s->out.fd, SHUT_WR);
	else
		close(s->out.fd);
	s->out.fd = -1;
	s->out.events = 0;
	buf_consume(&s->output, s->output.len);
}

void stream_close(struct stream *s)
{
	stream_close_out(s);
	if (s->in.fd >= 0)
		close(s->in.fd);
	s->in.fd = -1;
	s->in.events = 0;
	s->ended = true;
}

void stream_deinit(struct stream *s)
{
	stream_close(s);
	buf_deinit(&s->input);
	buf_deinit(&s->output);
}
