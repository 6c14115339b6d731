/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A worker process as the daemon sees it: one socket for the worker's stdin and stdout, and a pipe for its log.
 * worker/loop.c is the peer in the worker.
 */
#include "server/worker_proc.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "rpc/framing.h"
#include "server/internal.h"
#include "server/worker_spawn.h"

#define READ_SMALL 4096
#define READ_LARGE (256 * 1024)
/* Output that a worker has already sent is in its socket: at most some hundred kilobytes. */
#define HEAR_READS 64
/* How long a worker with a closed socket may take to resume its target before it gets SIGTERM, then SIGKILL. */
#define TERM_AFTER_MS 1000
#define KILL_AFTER_MS 3000
/* The same for a worker that must first read its last message (WORKER_HEARS_OUT), even on an overloaded machine. */
#define HEAR_OUT_MS 20000
/* Limit of log lines of one worker per second: a plugin may write any number of lines. */
#define LOG_LINES_PER_S 200

struct worker_proc {
	struct list link;
	struct server *server;
	struct session_target *target; /* NULL: the session no longer uses it */
	char id[16];
	pid_t pid;
	int start_fd; /* read by worker_spawn_failed() */
	bool reaped;
	int64_t ending_since_ms; /* 0: not ending */
	int64_t kill_after_ms;
	bool closing;
	int n_handles;
	uv_poll_t poll;
	int fd;
	int events;
	struct framing framing;
	size_t read_size;
	struct buf in;
	int64_t partial_since_ms; /* when the incomplete message in `in` started; 0: no such message */
	struct buf out;
	uv_poll_t log_poll;
	bool has_log;
	int log_fd;
	struct buf log;
	int64_t log_second;
	int log_lines;
};

static void on_poll(uv_poll_t *poll, int status, int events);

static int64_t get_now_ms(const struct worker_proc *w)
{
	return (int64_t)uv_now(&w->server->loop);
}

static void worker_free(struct worker_proc *w)
{
	struct server *s = w->server;

	list_remove(&w->link);
	close(w->fd);
	close(w->log_fd);
	close(w->start_fd);
	buf_deinit(&w->in);
	buf_deinit(&w->out);
	buf_deinit(&w->log);
	free(w);
	server_check_done(s);
}

static void on_handle_closed(uv_handle_t *handle)
{
	struct worker_proc *w = handle->data;

	if (--w->n_handles == 0)
		worker_free(w);
}

/* Free @w: the process is reaped and the session is notified. */
static void worker_close(struct worker_proc *w)
{
	if (w->closing)
		return;
	w->closing = true;
	w->n_handles = 1 + w->has_log;
	uv_close((uv_handle_t *)&w->poll, on_handle_closed);
	if (w->has_log)
		uv_close((uv_handle_t *)&w->log_poll, on_handle_closed);
}

static void print_log_line(struct worker_proc *w, char *line, size_t len)
{
	enum log_level level = LOG_WARN;
	int64_t second = get_now_ms(w) / 1000;
	char *text = line;

	line[len] = '\0';
	if (second != w->log_second) {
		w->log_second = second;
		w->log_lines = 0;
	}
	if (w->log_lines++ >= LOG_LINES_PER_S) {
		if (w->log_lines == LOG_LINES_PER_S + 1)
			log_warn("%s (pid %d): further log lines are suppressed", w->id, w->pid);
		return;
	}
	/* The worker's own lines start with their level; other lines come from a library. */
	char *colon = strstr(line, ": ");
	if (colon) {
		*colon = '\0';
		if (log_level_parse(line, &level))
			text = colon + 2;
		else
			*colon = ':';
	}
	log_print(level, "%s (pid %d): %s", w->id, w->pid, text);
}

static void read_log(struct worker_proc *w)
{
	for (;;) {
		char *where;
		struct error *err = buf_reserve(&w->log, READ_SMALL + 1, &where);

		if (err) {
			error_destroy(err);
			return;
		}
		ssize_t n = read(w->log_fd, where, READ_SMALL);
		if (n <= 0) {
			if (n == 0)
				uv_poll_stop(&w->log_poll);
			return;
		}
		buf_commit(&w->log, (size_t)n);
		char *end;
		while (w->log.len && (end = memchr(buf_head(&w->log), '\n', w->log.len))) {
			size_t len = (size_t)(end - buf_head(&w->log));

			print_log_line(w, buf_head(&w->log), len);
			buf_consume(&w->log, len + 1);
		}
		if (w->log.len >= READ_SMALL) { /* no line end: cut it */
			print_log_line(w, buf_head(&w->log), w->log.len);
			buf_consume(&w->log, w->log.len);
		}
		if (n < READ_SMALL)
			return;
	}
}

static void on_log(uv_poll_t *poll, int status, int events)
{
	(void)status;
	(void)events;
	read_log(poll->data);
}

static void watch_socket(struct worker_proc *w, int events)
{
	if (events == w->events || w->closing)
		return;
	w->events = events;
	if (events)
		uv_poll_start(&w->poll, events, on_poll);
	else
		uv_poll_stop(&w->poll);
}

/* End a worker whose output cannot be trusted, or that reads no input. Its death notifies the session. */
static void worker_kill(struct worker_proc *w)
{
	if (!w->reaped)
		kill(w->pid, SIGKILL);
}

static void process_input(struct worker_proc *w)
{
	while (w->target) {
		const char *text;
		size_t len;

		struct error *err = framing_next(&w->framing, &w->in, false, &text, &len);
		if (err) {
			log_err(LOG_ERROR, err, "%s (pid %d)", w->id, w->pid);
			error_destroy(err);
			buf_consume(&w->in, w->in.len);
			worker_kill(w);
			watch_socket(w, 0);
			return;
		}
		if (!text) {
			if (!w->in.len)
				w->partial_since_ms = 0;
			else if (!w->partial_since_ms)
				w->partial_since_ms = get_now_ms(w);
			if (w->partial_since_ms)
				server_arm(w->server);
			return;
		}
		w->partial_since_ms = 0;
		session_worker_message(w->target, text, len);
		framing_done(&w->framing, &w->in, len);
	}
	buf_consume(&w->in, w->in.len);
}

/* Returns false when there is nothing more to read. */
static bool read_input(struct worker_proc *w)
{
	char *where;

	struct error *err = buf_reserve(&w->in, w->read_size, &where);
	if (err) {
		log_err(LOG_ERROR, err, "%s (pid %d)", w->id, w->pid);
		error_destroy(err);
		worker_kill(w);
		watch_socket(w, 0);
		return false;
	}
	ssize_t n = recv(w->fd, where, w->read_size, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		/* The worker has closed its socket: it has ended, or will be ended. Its exit status has the reason. */
		watch_socket(w, 0);
		if (w->ending_since_ms == 0)
			w->ending_since_ms = get_now_ms(w);
		server_arm(w->server);
		return false;
	}
	w->read_size = (size_t)n == w->read_size ? READ_LARGE : READ_SMALL;
	buf_commit(&w->in, (size_t)n);
	process_input(w);
	return true;
}

static void flush_output(struct worker_proc *w)
{
	while (w->out.len) {
		ssize_t n = send(w->fd, buf_head(&w->out), w->out.len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			buf_consume(&w->out, w->out.len); /* the worker is dead; SIGCHLD reports how */
		if (n < 0)
			break;
		buf_consume(&w->out, (size_t)n);
	}
	if (w->events)
		watch_socket(w, UV_READABLE | (w->out.len ? UV_WRITABLE : 0));
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct worker_proc *w = poll->data;

	if (status < 0)
		events = UV_READABLE;
	if (events & UV_WRITABLE)
		flush_output(w);
	if (events & UV_READABLE)
		read_input(w);
}

static void worker_send(void *worker, const char *text, size_t len)
{
	struct worker_proc *w = worker;
	bool idle = w->out.len == 0;

	struct error *err = framing_write(&w->framing, &w->out, text, len);
	if (err) {
		log_err(LOG_ERROR, err, "%s (pid %d)", w->id, w->pid);
		error_destroy(err);
		worker_kill(w);
		return;
	}
	if (idle)
		flush_output(w);
}

static void worker_hear(void *worker)
{
	struct worker_proc *w = worker;

	/* Limit the reads: a worker may write without end. */
	for (int i = 0; i < HEAR_READS && w->target && w->events && read_input(w); i++)
		;
}

static void worker_end(void *worker, enum worker_ending how)
{
	struct worker_proc *w = worker;

	w->target = NULL;
	buf_consume(&w->out, w->out.len);
	if (w->ending_since_ms == 0)
		w->ending_since_ms = get_now_ms(w);
	if (how == WORKER_HEARS_OUT)
		w->kill_after_ms = HEAR_OUT_MS;
	else if (how == WORKER_KILLED)
		worker_kill(w);
	/* The end of its input makes the worker detach and leave its target unharmed. */
	shutdown(w->fd, SHUT_RDWR);
	watch_socket(w, 0);
	server_arm(w->server);
}

static struct error *worker_watch(struct worker_proc *w)
{
	struct server *s = w->server;

	int rc = uv_poll_init(&s->loop, &w->poll, w->fd);
	if (rc)
		return error_uv(rc, "poll the worker");
	w->poll.data = w;
	watch_socket(w, UV_READABLE);
	w->log_poll.data = w;
	w->has_log = uv_poll_init(&s->loop, &w->log_poll, w->log_fd) == 0;
	if (w->has_log)
		uv_poll_start(&w->log_poll, UV_READABLE, on_log);
	else
		log_warn("%s (pid %d): cannot read its log", w->id, w->pid);
	return NULL;
}

static struct error *worker_start(void *context, struct session_target *target, const char *id, uid_t uid, gid_t gid,
				  void **worker_ret, pid_t *pid_ret)
{
	struct server *s = context;
	int pair[2], log_pipe[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return error_create(ERR_WORKER_FAILED, "socketpair: %s", strerror(errno));
	_cleanup_close_ int ours = pair[0];
	_cleanup_close_ int theirs = pair[1];
	if (pipe2(log_pipe, O_CLOEXEC))
		return error_create(ERR_WORKER_FAILED, "pipe: %s", strerror(errno));
	_cleanup_close_ int log_ours = log_pipe[0];
	_cleanup_close_ int log_theirs = log_pipe[1];
	_cleanup_free_ struct worker_proc *w = calloc(1, sizeof(*w));
	if (!w)
		return &error_nomem;
	struct error *err = worker_spawn(s->options, id, uid, gid, theirs, log_theirs, &w->pid, &w->start_fd);
	if (err)
		return err;
	w->server = s;
	w->target = target;
	w->kill_after_ms = KILL_AFTER_MS;
	snprintf(w->id, sizeof(w->id), "%s", id);
	framing_init(&w->framing, false, LIMIT_WORKER_MESSAGE);
	w->read_size = READ_SMALL;
	w->fd = ours;
	w->log_fd = log_ours;
	err = worker_watch(w);
	if (err) {
		kill(w->pid, SIGKILL);
		waitpid(w->pid, NULL, 0);
		close(w->start_fd);
		return err;
	}
	ours = log_ours = -1;
	log_info("%s (pid %d): started", w->id, w->pid);
	list_append(&s->workers, &w->link);
	*pid_ret = w->pid;
	*worker_ret = no_cleanup(w);
	return NULL;
}

const struct worker_ops worker_proc_ops = {
	.start = worker_start,
	.send = worker_send,
	.end = worker_end,
	.hear = worker_hear,
};

static void handle_worker_exit(struct worker_proc *w, int wait_status)
{
	struct session_target *target;

	w->reaped = true;
	/* Read the worker's last output. */
	while (w->target && w->events && read_input(w))
		;
	if (w->has_log)
		read_log(w);
	if (w->log.len) {
		/* read_log() reserves room for the NUL. */
		print_log_line(w, buf_head(&w->log), w->log.len);
		buf_consume(&w->log, w->log.len);
	}
	target = w->target;
	w->target = NULL;
	watch_socket(w, 0);
	worker_close(w);
	struct error *err = worker_spawn_failed(w->server->options, w->start_fd);
	if (target && err) {
		session_worker_failed(target, err);
		return;
	}
	error_destroy(err);
	if (target)
		session_worker_died(target, wait_status);
}

void worker_proc_reap_all(struct server *s)
{
	list_for_each (it, tmp, &s->workers) {
		struct worker_proc *w = list_entry(it, struct worker_proc, link);
		int wait_status;

		if (!w->reaped && waitpid(w->pid, &wait_status, WNOHANG) == w->pid)
			handle_worker_exit(w, wait_status);
	}
}

bool worker_proc_tick_all(struct server *s, int64_t now)
{
	bool more = false;

	list_for_each (it, tmp, &s->workers) {
		struct worker_proc *w = list_entry(it, struct worker_proc, link);

		if (w->reaped)
			continue;
		if (w->partial_since_ms && w->ending_since_ms == 0) {
			more = true;
			if (now - w->partial_since_ms < s->options->request_timeout_ms)
				continue;
			log_warn("%s (pid %d): its message was incomplete after %lld ms: ending it", w->id, w->pid,
				 (long long)s->options->request_timeout_ms);
			w->partial_since_ms = 0;
			worker_kill(w);
		}
		if (w->ending_since_ms == 0)
			continue;
		more = true;
		if (now - w->ending_since_ms >= w->kill_after_ms)
			kill(w->pid, SIGKILL);
		else if (now - w->ending_since_ms >= TERM_AFTER_MS)
			kill(w->pid, SIGTERM);
	}
	return more;
}
