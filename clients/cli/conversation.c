/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Selects a running daemon, a private one, or a worker alone, and sends it the requests in order. */
#include "conversation.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "base/clock.h"
#include "cli_advice.h"
#include "connect.h"
#include "format.h"
#include "interrupt.h"
#include "request.h"

#define MAX_PARAMS (1U << 20)
/* Time that an interrupted command waits for the answer to target.attach, which names the target to detach. */
#define LATE_MS 2000

/*
 * Interval between the two samples of `why`, by the number of attempts that exec() ended. A program that runs for a
 * shorter time cannot be sampled twice. 0: one sample.
 */
static const int intervals_ms[] = {500, 500, 100, 20};
#define N_INTERVALS ((int)(sizeof(intervals_ms) / sizeof(*intervals_ms)))

/* --wait: time between two requests while the process has not started to use OpenMP. */
#define START_POLL_MS 20

/* The first target of a private daemon: known before target.attach is answered. */
static const char first_target[] = "t1";

/* Return the params of the request, with "target" unless the user gave one. */
static struct json_object *create_params(const struct conversation *s, const char *target)
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

/* With --wait: repeat the request, which failed with @f, until the process starts to use OpenMP. */
static struct error *await_openmp(struct conversation *s, const char *target, struct error *f)
{
	while (s->args->waits && f && f->name && !strcmp(f->name, "openmp_not_started") &&
	       !interrupt_wait(&s->rpc.conn, START_POLL_MS)) {
		error_destroy(f);
		rpc_restart(&s->rpc);
		f = rpc_wait(&s->rpc, rpc_request(&s->rpc, request_method(s->args), create_params(s, target)),
			     &s->result);
	}
	return f;
}

static struct error *send_request(struct conversation *s, const char *target)
{
	struct error *f =
		rpc_wait(&s->rpc, rpc_request(&s->rpc, request_method(s->args), create_params(s, target)), &s->result);

	return await_openmp(s, target, f);
}

static void init_rpc(struct conversation *s)
{
	rpc_init(&s->rpc, &cli_advice, s->args->timeout_s * 1000, s->args->verbose ? STDERR_FILENO : -1);
}

static struct error *connect_running(struct conversation *s)
{
	const struct connect_options o = {
		.uri = s->args->uri,
		.token_file = s->args->token_file,
		.with_events = s->args->command == COMMAND_EVENTS || args_command_controls(s->args->command),
	};

	return connect_daemon(&s->rpc, &o, &s->is_elsewhere);
}

/* Return to the state before the request, without a connection. */
static void reset_connection(struct conversation *s)
{
	json_object_put(s->info);
	s->info = NULL;
	rpc_deinit(&s->rpc);
	init_rpc(s);
}

static struct error *open_private(struct conversation *s)
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
 * Return whether a worker alone can answer, in half the time: the request concerns one target. It needs nothing of a
 * daemon: its options, its log, its own methods.
 */
static int is_for_worker(const struct args *args)
{
	return args_command_needs_target(args->command) && args->command != COMMAND_CALL && !args->program &&
	       !args->ompdd && !args->n_daemon_options && !args->verbose;
}

/* Attach and send the request in one step. Closing the connection detaches. */
static struct error *attach_and_request(struct conversation *s)
{
	const struct args *args = s->args;
	struct error *f;
	int attach, question;

	attach = rpc_request(&s->rpc, request_attach_method(args), request_attach_params(args, s->is_elsewhere));
	question = rpc_request(&s->rpc, request_method(args), create_params(s, first_target));
	f = rpc_wait(&s->rpc, attach, &s->info);
	if (f)
		return f;
	const char *target = json_read_string(json_read_member(s->info, "target"));
	if (target && strcmp(target, first_target))
		return send_request(s, target);
	return await_openmp(s, first_target, rpc_wait(&s->rpc, question, &s->result));
}

static struct error *request_from_private(struct conversation *s)
{
	const struct args *args = s->args;

	if (is_for_worker(args)) {
		int started = spawn_open_worker(&s->rpc.conn, -1);
		struct error *f = started ? attach_and_request(s) : NULL;

		/* After a worker that died or is not installed, use a daemon, which reports more. */
		if (started && !(f && f->name && !strcmp(f->name, "daemon_died")))
			return f;
		error_destroy(f);
		reset_connection(s);
	}
	struct error *f = open_private(s);

	return f ? f : attach_and_request(s);
}

/*
 * Get a list of processes, from a worker alone. If a process that the worker examined made it crash, another worker
 * can still report what /proc shows.
 */
static struct error *request_without_target(struct conversation *s)
{
	struct error *f = NULL;

	for (s->without_regions = 0; s->without_regions < 2; s->without_regions++) {
		if (!spawn_open_worker(&s->rpc.conn, -1)) {
			reset_connection(s);
			f = open_private(s);
			return f ? f : send_request(s, NULL);
		}
		f = send_request(s, NULL);
		if (!f || !f->name || strcmp(f->name, "daemon_died") || s->without_regions)
			return f;
		error_destroy(f);
		reset_connection(s);
	}
	return f;
}

/* With a running daemon: attach, send the request, and detach even after a failure. */
static struct error *request_while_attached(struct conversation *s)
{
	struct connection *c = &s->rpc.conn;

	interrupt_catch(c);
	struct error *f = conversation_attach(s);
	if (!f)
		f = send_request(s, json_read_string(json_read_member(s->info, "target")));
	c->interrupted = NULL;
	f = conversation_detach(s, f);
	interrupt_release(c);
	return f;
}

static struct error *request_from_daemon(struct conversation *s)
{
	const struct args *args = s->args;
	struct error *f = connect_running(s);

	if (f)
		return f;
	if (args->command == COMMAND_ATTACH || args->command == COMMAND_LAUNCH)
		return rpc_wait(
			&s->rpc,
			rpc_request(&s->rpc, request_attach_method(args), request_attach_params(args, s->is_elsewhere)),
			&s->result);
	if (args->pid || args->core)
		return request_while_attached(s);
	return send_request(s, args->target);
}

/*
 * Return whether @f is due to exec(). After a detected exec(), other failures count too: the new program may only
 * just have started.
 */
static int is_exec_failure(const struct conversation *s, const struct error *f)
{
	if (!f || !f->name || !s->args->pid || f->code != ERR_ANSWER || s->args->command == COMMAND_ATTACH)
		return 0;
	return !strcmp(f->name, "target_exec") || (s->n_execs && strcmp(f->name, "no_such_process") != 0);
}

/* Replace @f, which is destroyed, with a failure that explains the repeated exec() calls. */
static struct error *create_exec_failure(const struct conversation *s, struct error *f)
{
	struct buf hint = {0};

	error_destroy(f);
	text_printf(&hint, "stop it meanwhile: kill -STOP %ld; ompdctl -p %ld %s; kill -CONT %ld", s->args->pid,
		    s->args->pid, command_row(s->args->command)->name, s->args->pid);
	f = failure_create(ERR_ANSWER, "target_exec", hint.data,
			   "process %ld replaced its program (exec) in each of %d attempts", s->args->pid,
			   SESSION_TRIES);
	buf_deinit(&hint);
	return f;
}

/* With --wait: replace the failure of a process that has ended. It may have had no region. */
static struct error *explain_early_end(const struct conversation *s, struct error *f)
{
	static const char *const names[] = {"target_exited", "target_exiting", "no_such_process"};
	int has_ended = 0;

	for (size_t i = 0; i < 3 && s->args->waits && f && f->name; i++)
		has_ended |= !strcmp(f->name, names[i]);
	if (!has_ended)
		return f;
	error_destroy(f);
	return failure_create(ERR_ANSWER, "target_exited", "a program that starts no parallel region is not examined",
			      "process %ld ended before it was examined", s->args->pid);
}

static struct error *read_params(struct conversation *s)
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
	s->params = answer_parse(text, len);
	free(input);
	if (json_object_is_type(s->params, json_type_object))
		return NULL;
	return failure_usage("like '{\"pid\":4711}', in single quotes for the shell",
			     "the parameters are not a JSON object");
}

void conversation_init(struct conversation *s, const struct args *args)
{
	*s = (struct conversation){.args = args};
	init_rpc(s);
}

void conversation_deinit(struct conversation *s)
{
	json_object_put(s->params);
	json_object_put(s->info);
	json_object_put(s->result);
	rpc_deinit(&s->rpc);
}

struct error *conversation_ask(struct conversation *s)
{
	struct error *f = read_params(s);

	if (f)
		return f;
	if (s->args->command == COMMAND_PS && !s->args->uri)
		return request_without_target(s);
	for (;;) {
		f = args_is_private(s->args) ? request_from_private(s) : request_from_daemon(s);
		if (!is_exec_failure(s, f) || ++s->n_execs == SESSION_TRIES)
			break;
		error_destroy(f);
		reset_connection(s);
	}
	return f && s->n_execs == SESSION_TRIES ? create_exec_failure(s, f) : explain_early_end(s, f);
}

struct error *conversation_open(struct conversation *s)
{
	return args_is_private(s->args) ? open_private(s) : connect_running(s);
}

struct error *conversation_open_alone(struct conversation *s)
{
	if (spawn_open_worker(&s->rpc.conn, -1))
		return NULL;
	reset_connection(s);
	return open_private(s);
}

struct error *conversation_attach(struct conversation *s)
{
	struct connection *c = &s->rpc.conn;

	rpc_restart(&s->rpc);
	int id = rpc_request(&s->rpc, request_attach_method(s->args), request_attach_params(s->args, s->is_elsewhere));
	struct error *f = rpc_wait(&s->rpc, id, &s->info);
	if (f && interrupt_came()) {
		c->interrupted = NULL;
		c->deadline_ms = clock_now_ms() + LATE_MS;
		error_destroy(rpc_wait(&s->rpc, id, &s->info));
	}
	return f;
}

struct error *conversation_detach(struct conversation *s, struct error *failure)
{
	const char *target = json_read_string(json_read_member(s->info, "target"));
	struct json_object *params;

	/* A daemon that does not answer cannot detach. */
	if (!target || (failure && failure->code != ERR_ANSWER && !interrupt_came()))
		return failure;
	params = json_object_new_object();
	json_object_object_add(params, "target", json_object_new_string(target));
	struct error *late = conversation_call(s, "target.detach", params, NULL);
	if (!failure)
		return late;
	error_destroy(late);
	return failure;
}

struct error *conversation_call(struct conversation *s, const char *method, struct json_object *params,
				struct json_object **ret)
{
	rpc_restart(&s->rpc);
	return rpc_wait(&s->rpc, rpc_request(&s->rpc, method, params), ret);
}
