/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* uv_echo SOCKET: a libuv server on a unix socket that returns what it receives: the least that a request can cost. */
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

struct reply {
	uv_write_t request;
	char *data;
};

static void on_alloc(uv_handle_t *handle, size_t size, uv_buf_t *buf)
{
	(void)handle;
	*buf = uv_buf_init(malloc(size), size);
}

static void on_written(uv_write_t *request, int status)
{
	struct reply *reply = (struct reply *)request;

	(void)status;
	free(reply->data);
	free(reply);
}

static void on_closed(uv_handle_t *handle)
{
	free(handle);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	if (n < 0) {
		free(buf->base);
		uv_close((uv_handle_t *)stream, on_closed);
		return;
	}
	struct reply *reply = malloc(sizeof(*reply));
	uv_buf_t out = uv_buf_init(buf->base, n);

	reply->data = buf->base;
	uv_write(&reply->request, stream, &out, 1, on_written);
}

static void on_connection(uv_stream_t *server, int status)
{
	uv_pipe_t *client = malloc(sizeof(*client));

	(void)status;
	uv_pipe_init(server->loop, client, 0);
	uv_accept(server, (uv_stream_t *)client);
	uv_read_start((uv_stream_t *)client, on_alloc, on_read);
}

int main(int argc, char **argv)
{
	uv_pipe_t server;

	if (argc != 2)
		return 2;
	uv_pipe_init(uv_default_loop(), &server, 0);
	if (uv_pipe_bind(&server, argv[1]) || uv_listen((uv_stream_t *)&server, 16, on_connection))
		return 1;
	puts("listening");
	fflush(stdout);
	return uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}
