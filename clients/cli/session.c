/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A running daemon, one for us alone, or a worker alone: which of them is asked, and in what order. */
#include "session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "connect.h"
#include "format.h"
#include "interrupt.h"
#include "request.h"

#define MAX_PARAMS (1U << 20)
/* How long an interruption waits for the answer to target.attach: only that says what to detach. */
#define LATE_MS 2000

/*
 * Between the two looks of `why` after so many attempts that an exec ended: a program that runs for a shorter time is
 * never looked at twice. 0: one look.
 */
static const int intervals_ms[] = {500, 500, 100, 20};
#define N_INTERVALS ((int)(sizeof(intervals_ms) / sizeof(*intervals_ms)))

/* The first target of a daemon that nobody else uses: known before target.attach is answered. */
static const char first_target[] = "t1";

/* The params of the question, with "target" filled in unless the user gave one. */
static struct json_object *params_of(const struct session *s, const char *target)
{
	struct json_object *params = request_params(s->args, target);

	if (s->without_regions)
		json_object_object_add(params, "regions", json_object_new_boolean(0));
	if (s->n_execs && s->args->command == COMMAND_WHY)
		json_object_object_add(params, "interval_ms",
				       json_object_new_int(s->n_execs < N_INTERVALS ? intervals_ms[s->n_execs] : 0));
	if (s->params) {
		json_object_object_foreach(s->params, key, value)
			json_object_object_add(params, key, json_object_get(value));
	}
	return params;
}

static struct failure *ask(struct session *s, const char *target)
{
	return rpc_wait(&s->rpc, rpc_request(&s->rpc, request_method(s->args), params_of(s, target)), &s->result);
}

/* As before the question, without a connection. */
static void start_over(struct session *s)
{
	json_object_put(s->info);
	s->info = NULL;
	rpc_deinit(&s->rpc);
	rpc_init(&s->rpc, s->args->timeout_s, s->args->verbose);
}

static struct failure *open_private(struct session *s)
{
	const struct args *args = s->args;
	const char *options[ARGS_MAX_DAEMON_OPTIONS + 2];
	size_t n = args->n_daemon_options;

	memcpy(options, args->daemon_options, n * sizeof(*options));
	if (args->verbose) {
		options[n++] = "--log-level";
		options[n++] = "info";
	}
	return spawn_open(&s->rpc.conn, args->ompdd, options, n);
}

/*
 * Whether a worker alone can answer, which takes half the time: a look at one target that needs nothing of a daemon
 * (its options, its log, its own methods).
 */
static int is_for_worker(const struct args *args)
{
	return args_command_needs_target(args->command) && args->command != COMMAND_CALL && !args->program &&
	       !args->ompdd && !args->n_daemon_options && !args->verbose;
}

/* Attach and ask in one go; closing the connection detaches. */
static struct failure *ask_first(struct session *s)
{
	const struct args *args = s->args;
	struct failure *f;
	int attach, question;

	attach = rpc_request(&s->rpc, request_attach_method(args), request_attach_params(args, s->is_elsewhere));
	question = rpc_request(&s->rpc, request_method(args), params_of(s, first_target));
	f = rpc_wait(&s->rpc, attach, &s->info);
	if (f)
		return f;
	const char *target = format_string(format_member(s->info, "target"));
	if (target && strcmp(target, first_target))
		return ask(s, target);
	return rpc_wait(&s->rpc, question, &s->result);
}

static struct failure *ask_private(struct session *s)
{
	const struct args *args = s->args;

	if (is_for_worker(args)) {
		int started = spawn_open_worker(&s->rpc.conn);
		struct failure *f = started ? ask_first(s) : NULL;

		/* Of a worker that died, or is not there, a daemon says more. */
		if (started && !(f && f->name && !strcmp(f->name, "daemon_died")))
			return f;
		failure_destroy(f);
		start_over(s);
	}
	struct failure *f = open_private(s);

	return f ? f : ask_first(s);
}

/*
 * A list of processes, from a worker alone. One that did not survive a process that it looked into can still tell what
 * /proc does.
 */
static struct failure *ask_nobody(struct session *s)
{
	struct failure *f = NULL;

	for (s->without_regions = 0; s->without_regions < 2; s->without_regions++) {
		if (!spawn_open_worker(&s->rpc.conn)) {
			start_over(s);
			f = open_private(s);
			return f ? f : ask(s, NULL);
		}
		f = ask(s, NULL);
		if (!f || !f->name || strcmp(f->name, "daemon_died") || s->without_regions)
			return f;
		failure_destroy(f);
		start_over(s);
	}
	return f;
}

/* With a running daemon: attach, ask, and detach again whatever came of it. */
static struct failure *ask_attached(struct session *s)
{
	struct conn *c = &s->rpc.conn;

	interrupt_catch(c);
	struct failure *f = session_attach(s);
	if (!f)
		f = ask(s, format_string(format_member(s->info, "target")));
	c->interrupted = NULL;
	f = session_detach(s, f);
	interrupt_release(c);
	return f;
}

static struct failure *ask_target(struct session *s)
{
	const struct args *args = s->args;
	int is_view = args_command_needs_target(args->command) && !args->json && args->command != COMMAND_INFO;
	struct json_object *params = json_object_new_object();
	struct failure *f;

	json_object_object_add(params, "target", json_object_new_string(args->target));
	if (!is_view) {
		json_object_put(params);
		return ask(s, args->target);
	}
	int info = rpc_request(&s->rpc, "target.info", params);
	int question = rpc_request(&s->rpc, request_method(args), params_of(s, args->target));
	f = rpc_wait(&s->rpc, info, &s->info);
	return f ? f : rpc_wait(&s->rpc, question, &s->result);
}

static struct failure *ask_running(struct session *s)
{
	const struct args *args = s->args;
	struct failure *f = connect_running(&s->rpc, s->args, &s->is_elsewhere);

	if (f)
		return f;
	if (args->command == COMMAND_ATTACH || args->command == COMMAND_LAUNCH)
		return rpc_wait(
			&s->rpc,
			rpc_request(&s->rpc, request_attach_method(args), request_attach_params(args, s->is_elsewhere)),
			&s->result);
	if (args->pid || args->core)
		return ask_attached(s);
	if (args->target)
		return ask_target(s);
	return ask(s, NULL);
}

/*
 * Whether @f comes from an exec: of one that was noticed, or, after that, of a program that has only begun and is
 * not what it will be.
 */
static int is_of_exec(const struct session *s, const struct failure *f)
{
	if (!f || !f->name || !s->args->pid || f->code != EXIT_ANSWER || s->args->command == COMMAND_ATTACH)
		return 0;
	return !strcmp(f->name, "target_exec") || (s->n_execs && strcmp(f->name, "no_such_process") != 0);
}

/* Instead of @f, which is destroyed. */
static struct failure *never_still(const struct session *s, struct failure *f)
{
	struct text hint = {0};

	failure_destroy(f);
	text_printf(&hint, "stop it while you look: kill -STOP %ld; ompdctl -p %ld %s; kill -CONT %ld", s->args->pid,
		    s->args->pid, command_row(s->args->command)->name, s->args->pid);
	f = failure_create(EXIT_ANSWER, "target_exec", hint.data,
			   "process %ld keeps replacing its program (exec): it did so in each of %d attempts",
			   s->args->pid, SESSION_TRIES);
	text_deinit(&hint);
	return f;
}

static struct failure *read_params(struct session *s)
{
	const char *text = s->args->params;
	char *input = NULL;

	if (!text)
		return NULL;
	if (!strcmp(text, "-")) {
		input = text_read(STDIN_FILENO, MAX_PARAMS);
		if (!input)
			return failure_usage(NULL, "cannot read standard input: %m");
		text = input;
	}
	size_t len = strlen(text);
	while (len && strchr(" \t\r\n", text[len - 1]))
		len--;
	s->params = format_parse(text, len);
	free(input);
	if (json_object_is_type(s->params, json_type_object))
		return NULL;
	return failure_usage("like '{\"pid\":4711}', in single quotes for the shell",
			     "the params are not a JSON object");
}

void session_init(struct session *s, const struct args *args)
{
	*s = (struct session){.args = args};
	rpc_init(&s->rpc, args->timeout_s, args->verbose);
}

void session_deinit(struct session *s)
{
	json_object_put(s->params);
	json_object_put(s->info);
	json_object_put(s->result);
	rpc_deinit(&s->rpc);
}

struct failure *session_ask(struct session *s)
{
	struct failure *f = read_params(s);

	if (f)
		return f;
	if (s->args->command == COMMAND_PS && !s->args->uri)
		return ask_nobody(s);
	for (;;) {
		f = args_is_private(s->args) ? ask_private(s) : ask_running(s);
		if (!is_of_exec(s, f) || ++s->n_execs == SESSION_TRIES)
			break;
		failure_destroy(f);
		start_over(s);
	}
	return f && s->n_execs == SESSION_TRIES ? never_still(s, f) : f;
}

struct failure *session_open(struct session *s)
{
	return args_is_private(s->args) ? open_private(s) : connect_running(&s->rpc, s->args, &s->is_elsewhere);
}

struct failure *session_open_alone(struct session *s)
{
	if (spawn_open_worker(&s->rpc.conn))
		return NULL;
	start_over(s);
	return open_private(s);
}

struct failure *session_attach(struct session *s)
{
	struct conn *c = &s->rpc.conn;

	rpc_restart(&s->rpc);
	int id = rpc_request(&s->rpc, request_attach_method(s->args), request_attach_params(s->args, s->is_elsewhere));
	struct failure *f = rpc_wait(&s->rpc, id, &s->info);
	if (f && interrupt_came()) {
		c->interrupted = NULL;
		c->deadline_ms = conn_now_ms() + LATE_MS;
		failure_destroy(rpc_wait(&s->rpc, id, &s->info));
	}
	return f;
}

struct failure *session_detach(struct session *s, struct failure *failure)
{
	const char *target = format_string(format_member(s->info, "target"));
	struct json_object *params;

	/* There is nothing to be had from a daemon that does not answer. */
	if (!target || (failure && failure->code != EXIT_ANSWER && !interrupt_came()))
		return failure;
	params = json_object_new_object();
	json_object_object_add(params, "target", json_object_new_string(target));
	struct failure *late = session_call(s, "target.detach", params, NULL);
	if (!failure)
		return late;
	failure_destroy(late);
	return failure;
}

struct failure *session_call(struct session *s, const char *method, struct json_object *params,
			     struct json_object **ret)
{
	rpc_restart(&s->rpc);
	return rpc_wait(&s->rpc, rpc_request(&s->rpc, method, params), ret);
}
