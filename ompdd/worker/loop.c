/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Poll, read a line, dispatch, answer. One thread and one request at a time, because ptrace and OMPD libraries require
 * it.
 */
#include "worker/loop.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/contract.h"
#include "base/cpu_budget.h"
#include "base/log.h"
#include "base/memory_limit.h"
#include "openmp/model/handle/handles.h"
#include "openmp/plugin/guard.h"
#include "rpc/framing.h"
#include "rpc/message.h"
#include "target/control.h"
#include "target/sandbox/sandbox.h"
#include "target/unwind/dwarf.h"
#include "worker/context/emit.h"
#include "worker/control/control.h"
#include "worker/sampler/sampler.h"
#include "worker/worker.h"

#define READ_SIZE 65536
/* How long a leaving worker waits for the daemon's report on the answer to a launch. Mostly the report has arrived. */
#define TOLD_MS 5000

struct loop {
	struct worker *worker;
	const struct method_handler *handlers;
	int in;
	int out;
	int signals;
	struct framing framing;
	struct buf input;
	struct buf output;
	bool at_end;		 /* end of the input */
	bool unheard;		 /* the daemon no longer reads our answers */
	bool leaving;		 /* a signal requested it */
	bool exit_noticed;	 /* the target's exit was handled */
	bool is_pid_reported;	 /* the daemon knows the pid of the launched program */
	bool is_launch_reported; /* the client knows the launched program, too */
};

/* The request that is being answered; for on_overrun(). */
static const char *volatile current_method;

/*
 * End the worker from a signal handler. A library may be running: nothing can be freed, and no answer can be sent. The
 * daemon answers for us. The kernel or the tracer resumes a stopped target when we exit.
 */
static void on_overrun(void)
{
	const char *const words[] = {
		"ERROR worker: ",
		current_method ? current_method : "what follows an event",
		" took too much processor time in one call of a library that cannot be interrupted\n",
	};

	/* A call into the plugin has a time limit of its own. */
	if (guard_in_plugin)
		return;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		ssize_t n = write(STDERR_FILENO, words[i], strlen(words[i]));
		(void)n;
	}
	_exit(CONTRACT_EXIT_CPU_SPENT);
}

static struct error *write_all(struct loop *l)
{
	struct buf *out = &l->output;

	while (out->len) {
		ssize_t n = write(l->out, buf_head(out), out->len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EPIPE) {
			/* The daemon has left: this is not our failure, and the end of the input follows. */
			l->unheard = true;
			buf_consume(out, out->len);
			return NULL;
		}
		if (n < 0)
			return error_create_errno(errno, "write an answer");
		buf_consume(out, (size_t)n);
	}
	return NULL;
}

static struct error *put_lines(struct loop *l, struct buf *lines)
{
	struct error *err = NULL;

	while (!err && lines->len) {
		const char *end = memchr(buf_head(lines), '\n', lines->len);
		size_t len = (size_t)(end - buf_head(lines));

		err = framing_write(&l->framing, &l->output, buf_head(lines), len);
		buf_consume(lines, len + 1);
	}
	return err;
}

/* Send the events that were emitted meanwhile. They follow the answer, if there was a request. */
static struct error *send_events(struct loop *l)
{
	struct error *err = put_lines(l, &l->worker->told);

	if (!err)
		err = put_lines(l, &l->worker->events);
	return err ? err : write_all(l);
}

/* Handle {"client": N}: the daemon reports that this connection is closed. */
static void on_client_gone(struct loop *l, const struct message *m)
{
	int64_t client;

	if (message_get_integer(m, "client", &client))
		worker_client_gone(l->worker, client);
	else
		log_warn("%s without a client", CONTRACT_CLIENT_GONE);
}

/* Report the process id before the answer to target.launch: only this worker knows it. */
static struct error *tell_pid(struct loop *l)
{
	struct worker *w = l->worker;

	if (l->is_pid_reported || !w->target || !target_is_launched(w->target))
		return NULL;
	l->is_pid_reported = true;
	return worker_report_pid(w);
}

/*
 * Log system calls that the sandbox refused to the OMPD library, or to a library that reads a hostile file. They are
 * never needed, so each one is worth a line.
 */
static void tell_refused(struct loop *l, const char *method)
{
	const char *name;
	uint64_t n = sandbox_take_refused(&name);

	if (!n)
		return;
	log_warn("sandbox: %" PRIu64 " system calls were refused during %s, the last one: %s", n, method, name);
	worker_report_refused(l->worker, n);
}

/*
 * Replace *@result by an error if a library was refused memory: the result may then lack parts without saying so. Frees
 * the library's memory, so that a repeated request gets the same answer.
 */
static struct error *tell_memory(struct loop *l, const char *method, TAKES struct error *failure,
				 struct json_object **result)
{
	if (!memory_limit_was_hit() || (failure && failure != &error_nomem))
		return failure;
	json_object_put(*result);
	*result = NULL;
	l->worker->launch_unanswered = false; /* not a program to keep */
	if (l->worker->target)
		dwarf_relax(l->worker->target);
	failure = error_create(ERR_LIMIT_EXCEEDED,
			       "%s needs more memory than a worker may have, probably for the debug information of the "
			       "target's modules",
			       method);
	error_hint(failure, "start ompdd with a larger --worker-memory, request less at once, or reduce the debug "
			    "information of the modules (strip --strip-debug)");
	return error_detail(failure, "limit", "memory");
}

/* Answer one message into @out; a notification gets no answer. */
static struct error *answer_message(struct loop *l, const struct message *m, struct buf *out)
{
	struct json_object *result = NULL;

	if (!strcmp(m->method, CONTRACT_CLIENT_GONE)) {
		on_client_gone(l, m);
		return NULL;
	}
	if (!strcmp(m->method, CONTRACT_LAUNCH_TOLD)) {
		l->is_launch_reported = true;
		return NULL;
	}
	worker_begin_request(l->worker, m->client);
	memory_limit_forget();
	current_method = m->method;
	cpu_budget_begin(l->worker->request_cpu_s * INT64_C(1000000));
	struct error *failure = dispatch_call(l->handlers, l->worker, m->method, m->params, &result);
	current_method = NULL;
	failure = tell_memory(l, m->method, failure, &result);
	/*
	 * Parts that were skipped for lack of processor time are missing in the result, without a mark. Answer with the
	 * error instead.
	 */
	if (!failure && result && cpu_budget_was_spent()) {
		json_object_put(result);
		result = NULL;
		l->worker->launch_unanswered = false; /* not a program to keep */
		failure = error_create(ERR_LIMIT_EXCEEDED,
				       "%s took more than %u s of processor time, probably for the debug information "
				       "of the target's modules",
				       m->method, l->worker->request_cpu_s);
		error_hint(
			failure,
			"request less at once, or reduce the debug information of the modules (strip --strip-debug)");
		error_detail(failure, "limit", "cpu");
	}
	tell_refused(l, m->method);
	struct error *err = tell_pid(l);
	if (!err)
		err = put_lines(l, &l->worker->told);
	if (!err && m->id)
		err = failure ? message_write_error(out, m->id, failure) : message_write_result(out, m->id, result);
	json_object_put(result);
	error_destroy(failure);
	return err;
}

/* Answer a text: one object, or an array with the answers to a batch. */
static struct error *answer_batch(struct loop *l, const struct message_batch *batch, struct buf *out)
{
	struct error *err = batch->is_batch ? buf_append(out, "[", 1) : NULL;
	size_t empty = out->len;

	for (size_t i = 0; !err && i < batch->n; i++) {
		size_t before = out->len;

		if (before > empty)
			err = buf_append(out, ",", 1);
		size_t start = out->len;
		if (!err)
			err = batch->errors[i] ? message_write_error(out, batch->messages[i].id, batch->errors[i])
					       : answer_message(l, &batch->messages[i], out);
		/* No answer: remove the comma again. */
		if (!err && out->len == start)
			out->len = before;
	}
	if (!err && batch->is_batch) {
		if (out->len == empty)
			out->len = 0;
		else
			err = buf_append(out, "]", 1);
	}
	return err;
}

static struct error *handle_text(struct loop *l, const char *text, size_t len)
{
	struct message_batch batch;
	struct buf body = {0};
	struct error *err = NULL;
	struct error *failure = message_parse(text, len, true, &batch);

	if (failure) {
		err = message_write_error(&body, NULL, failure);
		/* Never resynchronise after text that is not JSON. */
		if (error_is(failure, ERR_PARSE_ERROR))
			l->at_end = true;
		error_destroy(failure);
	} else {
		err = answer_batch(l, &batch, &body);
		message_batch_deinit(&batch);
	}
	l->worker->seen_running = false;
	if (!err && body.len)
		err = framing_write(&l->framing, &l->output, buf_head(&body), body.len);
	/*
	 * Keep the program before the client is notified. A client that knows a program must not lose it when we are
	 * killed between the two.
	 */
	bool launched = l->worker->launch_unanswered;
	l->worker->launch_unanswered = false;
	/*
	 * A closed connection gets no answer. Check this before writing: we may be killed between a lost answer and its
	 * report.
	 */
	if (launched && poll(&(struct pollfd){.fd = l->out}, 1, 0) > 0)
		l->unheard = true;
	if (launched && !l->unheard)
		target_keep(l->worker->target, true);
	if (!err)
		err = write_all(l);
	if (l->worker->target)
		dwarf_relax(l->worker->target);
	if (launched && (err || l->unheard))
		target_keep(l->worker->target, false);
	buf_deinit(&body);
	return err;
}

/* Answer all complete texts in the input. */
static struct error *handle_input(struct loop *l)
{
	while (!l->worker->detached) {
		const char *text;
		size_t len;
		struct error *err = framing_next(&l->framing, &l->input, l->at_end, &text, &len);

		if (err) {
			/* The input has no valid framing: report it once, and leave. */
			struct buf body = {0};
			struct error *failed = message_write_error(&body, NULL, err);

			error_destroy(err);
			l->at_end = true;
			buf_consume(&l->input, l->input.len);
			if (!failed)
				failed = framing_write(&l->framing, &l->output, buf_head(&body), body.len);
			if (!failed)
				failed = write_all(l);
			buf_deinit(&body);
			return failed;
		}
		if (!text)
			return NULL;
		err = handle_text(l, text, len);
		framing_done(&l->framing, &l->input, len);
		if (!err)
			err = send_events(l);
		if (err)
			return err;
	}
	return NULL;
}

static struct error *read_input(struct loop *l)
{
	char *to;
	struct error *err = buf_reserve(&l->input, READ_SIZE, &to);

	if (err)
		return err;
	ssize_t n = read(l->in, to, READ_SIZE);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return NULL;
	/* The daemon died with our answers unread: handle it as the end of the input. */
	if (n <= 0)
		l->at_end = true;
	else
		buf_commit(&l->input, (size_t)n);
	return handle_input(l);
}

/* Check the target: a held target may have been killed. */
static void check_target(struct loop *l)
{
	struct worker *w = l->worker;

	if (!w->target)
		return;
	target_poll(w->target);
	worker_target_events(w);
	if (w->holder >= 0 && !target_is_stopped(w->target)) {
		log_info("target %s ended while it was held stopped", w->target_id);
		w->holder = -1;
		w->stop.reason = STOP_NONE;
		handles_epoch_ended(w->handles, w->epoch);
	}
}

static void read_signals(struct loop *l)
{
	struct signalfd_siginfo info;

	while (read(l->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			check_target(l);
		else
			l->leaving = true;
	}
}

static struct error *run_loop(struct loop *l)
{
	struct worker *w = l->worker;

	while (!l->at_end && !l->leaving && !w->detached) {
		/* Handling a request may have produced events. */
		worker_target_events(w);
		struct error *failed = send_events(l);
		if (failed)
			return failed;
		int exit_fd = w->target && !l->exit_noticed ? target_exit_fd(w->target) : -1;
		struct pollfd fds[] = {
			{.fd = l->signals, .events = POLLIN},
			{.fd = l->in, .events = POLLIN},
			{.fd = exit_fd, .events = POLLIN},
			{.fd = w->target ? target_event_fd(w->target) : -1, .events = POLLIN},
			{.fd = sampler_fd(w), .events = POLLIN},
		};

		/*
		 * There is no limit between requests. Time that was spent before does not count for the next request.
		 */
		cpu_budget_begin(0);
		if (poll(fds, 5, -1) < 0) {
			if (errno == EINTR)
				continue;
			return error_create_errno(errno, "poll");
		}
		if (fds[0].revents)
			read_signals(l);
		if (fds[2].revents) {
			log_info("target %s has exited", w->target_id);
			l->exit_noticed = true;
			check_target(l);
			worker_target_exited(w);
			sampler_finish(w, SAMPLER_EXITED);
		}
		if (fds[3].revents) {
			worker_target_events(w);
			failed = send_events(l);
			if (failed)
				return failed;
		}
		/* A pending request must not wait for long, and its answer must not describe another moment. */
		if (fds[4].revents && sampler_fd(w) >= 0)
			sampler_tick(w);
		/* The input was polled first. */
		w->seen_running = exit_fd >= 0 && !fds[2].revents;
		if (fds[1].revents && !l->leaving) {
			struct error *err = read_input(l);

			if (err)
				return err;
		}
	}
	return NULL;
}

/*
 * Wait for the daemon's report whether the client got the answer to target.launch. A written answer may be unread: the
 * request was cancelled, or the daemon was killed. The report decides, not a signal meanwhile.
 */
static void settle_launch(struct loop *l)
{
	struct worker *w = l->worker;
	struct error *err = NULL;

	while (l->is_pid_reported && !l->is_launch_reported && !l->at_end && !w->detached && !err) {
		if (poll(&(struct pollfd){.fd = l->in, .events = POLLIN}, 1, TOLD_MS) <= 0)
			break;
		err = read_input(l);
	}
	error_destroy(err);
	if (l->is_pid_reported && !l->is_launch_reported && !w->detached && w->target)
		target_keep(w->target, false);
}

struct error *worker_loop(struct worker *w, const struct method_handler *handlers, int in, int out)
{
	struct loop l = {.worker = w, .handlers = handlers, .in = in, .out = out};
	sigset_t set;

	w->in = in;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	l.signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (l.signals < 0)
		return error_create_errno(errno, "signalfd");
	framing_init(&l.framing, false, LOOP_MAX_MESSAGE);
	/* Our own loops give up before that limit, and the request then costs only its answer. */
	struct error *err =
		w->request_cpu_s ? cpu_budget_watch(w->request_cpu_s + w->request_cpu_s / 2 + 1, on_overrun) : NULL;
	if (!err)
		err = run_loop(&l);
	settle_launch(&l);
	buf_deinit(&l.input);
	buf_deinit(&l.output);
	close(l.signals);
	return err;
}
