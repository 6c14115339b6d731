/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starts an ompdd-tracer, sends requests to it, and repairs the target after the tracer's death. */
#include "target/stop/tracer.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "target/trace/access.h"
#include "target/stop/tracer_call.h"
#include "target/sandbox/broker.h"
#include "target/trace/tracer_spawn.h"

/* The tracer answers faster than this (except in tracer_destroy()), unless it hangs in the kernel. */
#define ANSWER_MS  20000
#define LAUNCH_MS  10000
#define DESTROY_MS 2000
/* Events that arrived during a request. More events are dropped, except hits and exits. */
#define MAX_QUEUED 1024

/* Starting */

struct error *tracer_create(pid_t pid, int launch_fd, struct tracer **ret)
{
	struct tracer_ends ends;
	struct tracer *t = calloc(1, sizeof(*t));

	if (!t)
		return &error_nomem;
	_cleanup_(cleanup_tracer) struct tracer *guard = t;
	t->base.ops = &tracer_backend_ops;
	t->fd = -1;
	t->answer_ms = ANSWER_MS;
	t->queue = calloc(MAX_QUEUED, sizeof(*t->queue));
	if (!t->queue)
		return &error_nomem;
	t->launcher = launch_fd >= 0;
	/* Launch a program before this process has a sandbox, whose filter the program would inherit. */
	struct error *err = t->launcher ? tracer_spawn(launch_fd, 0, &ends) : broker_start_tracer(pid, &ends);
	if (err)
		return err;
	t->tracer_pid = ends.pid;
	t->fd = ends.socket;
	t->board = mmap(NULL, TRACER_BOARD_SIZE, PROT_READ, MAP_SHARED, ends.board, 0);
	close(ends.board);
	if (t->board == MAP_FAILED) {
		t->board = NULL;
		return error_create_errno(errno, "map the board of threads");
	}
	*ret = no_cleanup(guard);
	return NULL;
}

/* Communication */

/* Restore the target's text without its tracer, quickly: the target runs, and a thread that hits a breakpoint dies. */
static void restore_text(struct tracer *t)
{
	if (t->n_planted) {
		size_t n = 0;

		for (size_t i = 0; i < t->n_planted; i++)
			n += broker_restore(t->pid, t->planted[i].address, t->planted[i].code, t->planted[i].len);
		log_error("the tracer of process %d %s; took out %zu of %zu breakpoints without it", t->pid,
			  t->silent ? "does not answer" : "has ended", n, t->n_planted);
	} else {
		log_error("the tracer of process %d %s", t->pid, t->silent ? "does not answer" : "has ended");
	}
	t->n_planted = 0;
	t->word = 0;
}

static void lose_tracer(struct tracer *t)
{
	if (t->lost)
		return;
	t->lost = true;
	restore_text(t);
	t->active = false;
	t->stop = 0;
	t->stopped_by_hit = false;
	if (t->n_queue < MAX_QUEUED)
		t->queue[(t->first + t->n_queue++) % MAX_QUEUED] =
			(struct tracer_message){.kind = TRACER_EXITED, .value = UINT64_MAX, .error = EPIPE};
}

void tracer_take_stop(struct tracer *t, const struct tracer_message *m, unsigned budget_ms)
{
	t->stop = m->stop;
	t->n_board = m->n_threads < TARGET_MAX_THREADS ? m->n_threads : TARGET_MAX_THREADS;
	t->has_registers = false;
	t->started_us = m->noticed_us;
	t->expires_us = budget_ms ? t->started_us + (int64_t)budget_ms * 1000 : 0;
}

static void enqueue_message(struct tracer *t, const struct tracer_message *m)
{
	if (m->kind == TRACER_HIT) {
		tracer_take_stop(t, m, 0);
		t->stopped_by_hit = true;
	} else if (m->kind == TRACER_EXITED || m->kind == TRACER_EXECED) {
		t->active = false;
		t->stop = 0;
		t->stopped_by_hit = false;
		t->n_planted = 0;
		t->word = 0;
	} else if (t->n_queue >= MAX_QUEUED - 8) {
		t->dropped += 1 + m->lost;
		return;
	}
	if (t->n_queue == MAX_QUEUED)
		return;
	struct tracer_message *kept = &t->queue[(t->first + t->n_queue++) % MAX_QUEUED];
	*kept = *m;
	kept->lost += t->dropped;
	t->dropped = 0;
}

/* Receive one message. Return false if none arrives within @timeout_ms, or the tracer has exited. */
static bool receive_message(struct tracer *t, int timeout_ms, struct tracer_message *ret)
{
	int64_t end = clock_now_us() + (int64_t)timeout_ms * 1000;

	while (!t->lost) {
		ssize_t n = recv(t->fd, ret, sizeof(*ret), MSG_DONTWAIT);

		if (n == (ssize_t)sizeof(*ret))
			return true;
		if (n >= 0 || (errno != EAGAIN && errno != EINTR)) {
			lose_tracer(t);
			return false;
		}
		int64_t left_ms = (end - clock_now_us() + 999) / 1000;
		if (left_ms <= 0)
			return false;
		poll(&(struct pollfd){.fd = t->fd, .events = POLLIN}, 1, (int)left_ms);
	}
	return false;
}

static struct error *error_lost(const struct tracer *t)
{
	struct error *err =
		t->silent ? error_create(ERR_TRACER_FAILED, "the tracer of process %d did not answer within %d ms",
					 t->pid, t->answer_ms)
			  : error_create(ERR_TRACER_FAILED, "the tracer of process %d has ended", t->pid);

	return error_hint(err, "its breakpoints are removed; repeat the request to start another tracer");
}

struct error *tracer_call(struct tracer *t, struct tracer_request *r, struct tracer_message *ret)
{
	if (t->lost)
		return error_lost(t);
	r->seq = ++t->seq;
	if (send(t->fd, r, sizeof(*r), MSG_NOSIGNAL) != (ssize_t)sizeof(*r)) {
		lose_tracer(t);
		return error_lost(t);
	}
	while (receive_message(t, t->answer_ms, ret)) {
		if (ret->kind == TRACER_REPLY && ret->seq == r->seq)
			return NULL;
		if (ret->kind != TRACER_REPLY)
			enqueue_message(t, ret);
	}
	t->silent = !t->lost;
	lose_tracer(t);
	return error_lost(t);
}

struct error *tracer_explain(struct tracer *t, const struct tracer_message *m, unsigned limit_ms)
{
	switch (m->error) {
	case ETIMEDOUT:
		return stop_backend_timeout(m->tid, limit_ms);
	case ENOEXEC:
		return error_create(ERR_TARGET_EXEC, "process %d replaced its program", t->pid);
	case ESRCH:
	case ENOENT:
		return error_create(ERR_TARGET_EXITED, "process %d has exited", t->pid);
	case EPERM:
	case EACCES:
		return access_explain(t->pid, EPERM, "trace");
	default:
		return error_create_errno(m->error, "trace process %d", t->pid);
	}
}

/* Operations */

struct error *tracer_attach(struct tracer *t, pid_t pid, unsigned limit_ms, unsigned budget_ms)
{
	struct tracer_request r = {.op = TRACER_ATTACH, .tid = pid, .value = limit_ms, .budget_ms = budget_ms};
	struct tracer_message m;

	t->pid = pid;
	struct error *err = tracer_call(t, &r, &m);
	if (err)
		return err;
	if (m.error)
		return tracer_explain(t, &m, limit_ms);
	t->active = true;
	tracer_take_stop(t, &m, budget_ms);
	return NULL;
}

struct error *tracer_launched(struct tracer *t, struct tracer_message *ret)
{
	if (!receive_message(t, LAUNCH_MS, ret))
		return error_create(ERR_LAUNCH_FAILED, "the program did not start within %d ms", LAUNCH_MS);
	if (ret->kind != TRACER_LAUNCHED)
		return error_create(ERR_TRACER_FAILED, "unexpected message %u from the tracer during a launch",
				    ret->kind);
	if (ret->error)
		return NULL;
	t->pid = ret->tid;
	t->active = true;
	tracer_take_stop(t, ret, 0);
	return NULL;
}

bool tracer_is_launcher(const struct tracer *t)
{
	return t->launcher;
}

bool tracer_is_active(const struct tracer *t)
{
	return t->active;
}

bool tracer_is_lost(const struct tracer *t)
{
	return t->lost;
}

/* Threads */

struct error *tracer_park(struct tracer *t, pid_t tid, bool park)
{
	struct tracer_request r = {.op = TRACER_PARK, .tid = tid, .value = park};
	struct tracer_message m;
	struct error *err = tracer_call(t, &r, &m);

	return err ? err : m.error ? tracer_explain(t, &m, 0) : NULL;
}

struct error *tracer_step(struct tracer *t, pid_t tid)
{
	struct tracer_request r = {.op = TRACER_STEP, .tid = tid};
	struct tracer_message m;
	struct error *err = tracer_call(t, &r, &m);

	if (err)
		return err;
	if (!m.error) {
		t->has_registers = false;
		t->n_board = m.n_threads < TARGET_MAX_THREADS ? m.n_threads : TARGET_MAX_THREADS;
		return NULL;
	}
	const char *why = m.error == EINPROGRESS ? "it sleeps in a system call, which continues at the next resume"
			  : m.error == EAGAIN	 ? "it is stopped by job control"
			  : m.error == EBUSY	 ? "it got no processor"
						 : "it has exited";
	return error_create(ERR_STEP_IMPOSSIBLE, "cannot step thread %d: %s", (int)tid, why);
}

struct error *tracer_release(struct tracer *t, int64_t *stopped_us_ret)
{
	struct tracer_request r = {.op = TRACER_RELEASE};
	struct tracer_message m;
	struct error *err = tracer_call(t, &r, &m);

	if (err)
		return err;
	t->active = false;
	t->stop = 0;
	t->stopped_by_hit = false;
	t->n_planted = 0;
	t->word = 0;
	*stopped_us_ret = m.stopped_us;
	return NULL;
}

struct error *tracer_kill(struct tracer *t)
{
	struct tracer_request r = {.op = TRACER_KILL};
	struct tracer_message m;
	struct error *err = tracer_call(t, &r, &m);

	return err ? err : m.error ? tracer_explain(t, &m, 0) : NULL;
}

struct error *tracer_keep(struct tracer *t, bool keep)
{
	struct tracer_request r = {.op = TRACER_KEEP, .value = keep};
	struct tracer_message m;
	struct error *err = tracer_call(t, &r, &m);

	return err ? err : m.error ? tracer_explain(t, &m, 0) : NULL;
}

/* Events */

int tracer_fd(const struct tracer *t)
{
	return t->lost ? -1 : t->fd;
}

void tracer_poll(struct tracer *t)
{
	struct tracer_message m;

	while (receive_message(t, 0, &m)) {
		if (m.kind != TRACER_REPLY)
			enqueue_message(t, &m);
	}
}

bool tracer_next(struct tracer *t, struct tracer_message *ret)
{
	tracer_poll(t);
	if (!t->n_queue)
		return false;
	*ret = t->queue[t->first];
	t->first = (t->first + 1) % MAX_QUEUED;
	t->n_queue--;
	if (ret->kind == TRACER_HIT) {
		/* If the stop of this hit has already ended, return the next event. */
		if (!t->stopped_by_hit || ret->stop != t->stop)
			return tracer_next(t, ret);
		t->stopped_by_hit = false;
	}
	return true;
}

/*
 * Wait until the tracer has removed all breakpoints and exits, which closes the socket. Then reap it if it is a child
 * of this process; the broker reaps its own.
 */
static void await_end(struct tracer *t)
{
	int64_t end = clock_now_us() + DESTROY_MS * 1000, left_us;
	struct pollfd fd = {.fd = t->fd, .events = POLLIN};
	struct tracer_message m;
	bool open = true;

	shutdown(t->fd, SHUT_WR);
	while (open && (left_us = end - clock_now_us()) > 0) {
		if (poll(&fd, 1, (int)(left_us / 1000) + 1) > 0)
			open = recv(t->fd, &m, sizeof(m), MSG_DONTWAIT) > 0;
	}
	close(t->fd);
	while (waitpid(t->tracer_pid, NULL, WNOHANG) == 0 && clock_now_us() < end)
		nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

void tracer_destroy(struct tracer *t)
{
	if (!t)
		return;
	if (t->fd >= 0)
		await_end(t);
	if (t->board)
		munmap(t->board, TRACER_BOARD_SIZE);
	free(t->planted);
	free(t->queue);
	free(t);
}
