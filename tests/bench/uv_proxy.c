/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * uv_proxy SOCKET BACKEND: a libuv server that passes all bytes to BACKEND and back, unread: the least that an answer
 * of another process can cost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

struct side {
	uv_pipe_t pipe;
	struct side *other;
	int *n_open; /* of the two */
};

static char buffer[65536];

static void on_alloc(uv_handle_t *handle, size_t size, uv_buf_t *buf)
{
	(void)handle;
	(void)size;
	*buf = uv_buf_init(buffer, sizeof(buffer));
}

static void on_closed(uv_handle_t *handle)
{
	struct side *side = (struct side *)handle;

	if (--*side->n_open > 0)
		return;
	free(side->n_open);
	free(side->other);
	free(side);
}

static void close_both(struct side *side)
{
	if (uv_is_closing((uv_handle_t *)side))
		return;
	uv_close((uv_handle_t *)side, on_closed);
	uv_close((uv_handle_t *)side->other, on_closed);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct side *side = (struct side *)stream;
	uv_buf_t out = uv_buf_init(buf->base, n < 0 ? 0 : n);

	/* The measured data always fits into the socket. */
	if (n < 0 || uv_try_write((uv_stream_t *)side->other, &out, 1) != n)
		close_both(side);
}

static void on_connected(uv_connect_t *connect, int status)
{
	struct side *backend = (struct side *)connect->handle;

	free(connect);
	if (status < 0) {
		close_both(backend);
		return;
	}
	uv_read_start((uv_stream_t *)backend, on_alloc, on_read);
	uv_read_start((uv_stream_t *)backend->other, on_alloc, on_read);
}

static void on_connection(uv_stream_t *server, int status)
{
	struct side *client = malloc(sizeof(*client));
	struct side *backend = malloc(sizeof(*backend));
	int *n_open = malloc(sizeof(*n_open));

	(void)status;
	*n_open = 2;
	client->other = backend;
	backend->other = client;
	client->n_open = backend->n_open = n_open;
	uv_pipe_init(server->loop, &client->pipe, 0);
	uv_pipe_init(server->loop, &backend->pipe, 0);
	uv_accept(server, (uv_stream_t *)client);
	uv_pipe_connect(malloc(sizeof(uv_connect_t)), &backend->pipe, server->data, on_connected);
}

int main(int argc, char **argv)
{
	uv_pipe_t server;

	if (argc != 3)
		return 2;
	uv_pipe_init(uv_default_loop(), &server, 0);
	server.data = argv[2];
	if (uv_pipe_bind(&server, argv[1]) || uv_listen((uv_stream_t *)&server, 16, on_connection))
		return 1;
	puts("listening");
	fflush(stdout);
	return uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}
