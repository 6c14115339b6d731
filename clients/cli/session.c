/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which daemon, which methods, in what order. */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "credential.h"
#include "format.h"
#include "interrupt.h"
#include "uri.h"

#define MAX_TOKEN  (64 << 10) /* with certificates */
#define MAX_PARAMS (1U << 20)
/* How long an interruption waits for the answer to target.attach: only that says what to detach. */
#define LATE_MS 2000

/* The first target of a daemon that nobody else uses: known before target.attach is answered. */
static const char first_target[] = "t1";

/* Read a whole small file; NULL when it cannot be read or is larger than @max. The caller frees it.
 */
static char *read_all(int fd, size_t max)
{
	struct text t = {0};
	char chunk[4096];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) > 0 && t.len <= max)
		text_add_bytes(&t, chunk, (size_t)n);
	if (n < 0 || t.len > max) {
		if (n >= 0)
			errno = EFBIG;
		text_deinit(&t);
		return NULL;
	}
	return text_take(&t);
}

/* The file that the user names for the token; EXIT_USAGE: none. */
static struct failure *find_token(const struct session *s, const char *scheme, const char **ret)
{
	const char *path = s->args->token_file ? s->args->token_file : getenv("OMPDD_TOKEN_FILE");

	*ret = path;
	if (path && *path)
		return NULL;
	return failure_create(EXIT_USAGE, "no_token",
			      "--token-file FILE, or $OMPDD_TOKEN_FILE, names the file that "
			      "ompdd wrote its token to",
			      "a %s: address needs a token", scheme);
}

static struct failure *open_bridge(struct session *s, const struct uri *uri)
{
	struct bridge_options o = {
		.with_events = s->args->command == COMMAND_EVENTS || args_command_controls(s->args->command),
		/* The token file's certificate is wanted all the same, where there is TLS. */
		.with_munge = !s->args->token_file && credential_is_asked_for() && uri_is_http(uri) && !uri->path,
	};
	int needs_file = uri->kind != URI_HTTP_UNIX && !(o.with_munge && uri->kind == URI_HTTP);
	struct failure *f = needs_file ? find_token(s, uri_scheme(uri), &o.token_file) : NULL;

	return f ? f : spawn_open_bridge(&s->rpc.conn, uri, &o);
}

static struct failure *authenticate(struct session *s)
{
	struct json_object *params, *result;
	const char *path;

	if (!s->args->token_file && credential_is_asked_for())
		return credential_show(&s->rpc);
	struct failure *f = find_token(s, "tcp", &path);
	if (f)
		return f;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *token = fd >= 0 ? read_all(fd, MAX_TOKEN) : NULL;
	if (!token)
		f = failure_create(EXIT_CONNECT, "no_token", NULL, "cannot read the token in %s: %m", path);
	else
		f = NULL;
	if (fd >= 0)
		close(fd);
	if (f)
		return f;
	token[strcspn(token, " \t\r\n")] = 0;
	params = json_object_new_object();
	json_object_object_add(params, "token", json_object_new_string(token));
	free(token);
	f = rpc_wait(&s->rpc, rpc_request(&s->rpc, "rpc.authenticate", params), &result);
	if (!f)
		json_object_put(result);
	return f;
}

static struct failure *connect_uri(struct session *s, const struct uri *uri)
{
	int needs_token = uri->kind == URI_TCP || uri->kind == URI_TLS;

	s->is_elsewhere = !uri->path;
	int has_bridge = uri_is_http(uri) || uri->kind == URI_TLS;
	struct failure *f = has_bridge ? open_bridge(s, uri) : conn_open(&s->rpc.conn, uri);
	return f || !needs_token ? f : authenticate(s);
}

static struct failure *connect_running(struct session *s)
{
	const char *named = s->args->uri ? s->args->uri : getenv("OMPDD_URI");
	struct uri uri = {0};
	struct failure *f = named && *named ? uri_parse(named, &uri)
					    : uri_default(NULL, getenv("XDG_RUNTIME_DIR"), geteuid(), &uri);

	/* Where the user has none of his own, the node's daemon is asked. */
	if (!f && !(named && *named)) {
		struct uri node = {0};

		f = uri_node(getenv("OMPDD_NODE_URI"), &node);
		if (!f && (!node.path || access(node.path, F_OK) == 0) && !conn_is_served(uri.path)) {
			uri_deinit(&uri);
			uri = node;
		} else {
			uri_deinit(&node);
		}
	}
	if (!f)
		f = connect_uri(s, &uri);
	uri_deinit(&uri);
	return f;
}

static const char *attach_method(const struct args *args)
{
	if (args->program)
		return "target.launch";
	return args->core ? "target.open_core" : "target.attach";
}

/* The method whose result is wanted; the views for people draw from one whole snapshot. */
static const char *method_of(const struct args *args)
{
	const struct command_row *row = command_row(args->command);

	if (args->command == COMMAND_CALL)
		return args->method;
	if (args->command == COMMAND_BT && args->thread)
		return "stack.get";
	if (args->command == COMMAND_ATTACH || args->command == COMMAND_LAUNCH)
		return attach_method(args);
	return args->json ? row->json_method : row->method;
}

static void add_filters(struct json_object *params, const struct session *s)
{
	static const char *const keys[] = {"name", "runtime", "ranks", "job", "cgroup"};

	if (s->args->user)
		json_object_object_add(params, "user", json_object_new_string(s->args->user));
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (s->args->filters[i])
			json_object_object_add(params, keys[i], json_object_new_string(s->args->filters[i]));
	}
	if (s->without_regions)
		json_object_object_add(params, "regions", json_object_new_boolean(0));
}

/* The params of the question, with "target" filled in unless the user gave one. */
static struct json_object *params_of(const struct session *s, const char *target)
{
	struct json_object *params = json_object_new_object();

	if (target)
		json_object_object_add(params, "target", json_object_new_string(target));
	/* The functions of regions cost the stack of one thread for each. */
	if (!strcmp(method_of(s->args), "snapshot.get") && s->args->command != COMMAND_CALL)
		json_object_object_add(params, "stacks", json_object_new_string("regions"));
	if (s->args->sample_ms)
		json_object_object_add(params, "sample_ms", json_object_new_int64(s->args->sample_ms));
	if (s->args->command == COMMAND_BT) {
		if (s->args->thread)
			json_object_object_add(params, "thread", json_object_new_int64(s->args->thread));
		json_object_object_add(params, "logical", json_object_new_boolean(s->args->logical));
	}
	if (s->args->command == COMMAND_PS)
		add_filters(params, s);
	if (s->params) {
		json_object_object_foreach(s->params, key, value)
			json_object_object_add(params, key, json_object_get(value));
	}
	return params;
}

/* ompdd works in another folder than we do. */
static struct json_object *absolute(const char *path)
{
	char *here = *path == '/' ? NULL : getcwd(NULL, 0);
	struct text t = {0};

	if (here)
		text_printf(&t, "%s%s", here, strcmp(here, "/") ? "/" : "");
	text_add(&t, path);
	free(here);
	struct json_object *value = json_object_new_string(t.data);
	text_deinit(&t);
	return value;
}

static void add_debug_dirs(struct json_object *params, const struct args *args)
{
	struct json_object *dirs;

	if (!args->n_debug_dirs)
		return;
	dirs = json_object_new_array();
	for (size_t i = 0; i < args->n_debug_dirs; i++)
		json_object_array_add(dirs, absolute(args->debug_dirs[i]));
	json_object_object_add(params, "debug_dirs", dirs);
}

static struct json_object *open_core_params(const struct args *args)
{
	struct json_object *params = json_object_new_object();

	json_object_object_add(params, "core", absolute(args->core));
	if (args->exe)
		json_object_object_add(params, "exe", absolute(args->exe));
	if (args->sysroot)
		json_object_object_add(params, "sysroot", absolute(args->sysroot));
	add_debug_dirs(params, args);
	return params;
}

/* Our own variables; what is not UTF-8 cannot be told. */
static struct json_object *environment(void)
{
	struct json_object *env = json_object_new_object();

	for (char **e = environ; *e; e++) {
		const char *equals = strchr(*e, '=');

		if (!equals || equals == *e || !text_is_utf8(*e))
			continue;
		char *name = strndup(*e, (size_t)(equals - *e));
		json_object_object_add(env, name, json_object_new_string(equals + 1));
		free(name);
	}
	return env;
}

/*
 * Where the program writes when the user does not say: where we do, so that `| less` and `> file` have both. It opens
 * that anew, by a path. NULL: /dev/null; the caller frees it.
 */
static char *our_file(const struct session *s, int fd)
{
	const char *terminal = ttyname(fd);
	struct text path = {0};
	struct stat st;

	if (terminal)
		return text_strdup(terminal);
	/*
	 * What `launch` starts outlives this process: with our output it would keep a reader of that output waiting for
	 * its end.
	 */
	if (!args_command_controls(s->args->command) || s->is_elsewhere)
		return NULL;
	/* Lines of JSON are no place for it. */
	if (s->args->json)
		fd = STDERR_FILENO;
	text_printf(&path, "/proc/%d/fd/%d", (int)getpid(), fd);
	/* A socket cannot be opened; nor can what somebody else has opened for us. */
	int again = open(path.data, O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (again < 0) {
		text_deinit(&path);
		return NULL;
	}
	/* Each at its own place in the file, we would overwrite each other. */
	if (!fstat(again, &st) && S_ISREG(st.st_mode))
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_APPEND);
	close(again);
	return text_take(&path);
}

static struct json_object *launch_params(const struct session *s)
{
	const struct args *args = s->args;
	static const char *const files[] = {"stdin", "stdout", "stderr"};
	struct json_object *params = json_object_new_object(), *argv = json_object_new_array();

	for (char *const *word = args->program; *word; word++)
		json_object_array_add(argv, json_object_new_string(*word));
	json_object_object_add(params, "argv", argv);
	json_object_object_add(params, "env", environment());
	json_object_object_add(params, "cwd", absolute(args->cwd ? args->cwd : "."));
	for (int i = 0; i < 3; i++) {
		/*
		 * A launched program must not read what is typed for another: its standard input is ours only if it was
		 * named.
		 */
		char *ours = args->files[i] || i == STDIN_FILENO ? NULL : our_file(s, i);
		const char *file = ours ? ours : args->files[i];

		if (file)
			json_object_object_add(params, files[i], absolute(file));
		free(ours);
	}
	if (args_command_controls(args->command))
		json_object_object_add(params, "stop_at", json_object_new_string("main"));
	if (args->max_stop_ms)
		json_object_object_add(params, "max_stop_ms", json_object_new_int64(args->max_stop_ms));
	add_debug_dirs(params, args);
	return params;
}

static struct json_object *attach_params(const struct session *s)
{
	const struct args *args = s->args;

	if (args->core)
		return open_core_params(args);
	if (args->program)
		return launch_params(s);
	struct json_object *params = json_object_new_object();

	json_object_object_add(params, "pid", json_object_new_int64(args->pid));
	if (args->mode)
		json_object_object_add(params, "mode", json_object_new_string(args->mode));
	if (args->max_stop_ms)
		json_object_object_add(params, "max_stop_ms", json_object_new_int64(args->max_stop_ms));
	add_debug_dirs(params, args);
	return params;
}

static struct failure *ask(struct session *s, const char *target)
{
	return rpc_wait(&s->rpc, rpc_request(&s->rpc, method_of(s->args), params_of(s, target)), &s->result);
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

	attach = rpc_request(&s->rpc, attach_method(args), attach_params(s));
	question = rpc_request(&s->rpc, method_of(args), params_of(s, first_target));
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
		json_object_put(s->info);
		s->info = NULL;
		rpc_deinit(&s->rpc);
		rpc_init(&s->rpc, args->timeout_s, args->verbose);
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
	const struct args *args = s->args;
	struct failure *f = NULL;

	for (s->without_regions = 0; s->without_regions < 2; s->without_regions++) {
		if (!spawn_open_worker(&s->rpc.conn)) {
			rpc_deinit(&s->rpc);
			rpc_init(&s->rpc, args->timeout_s, args->verbose);
			f = open_private(s);
			return f ? f : ask(s, NULL);
		}
		f = ask(s, NULL);
		if (!f || !f->name || strcmp(f->name, "daemon_died") || s->without_regions)
			return f;
		failure_destroy(f);
		rpc_deinit(&s->rpc);
		rpc_init(&s->rpc, args->timeout_s, args->verbose);
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
	int question = rpc_request(&s->rpc, method_of(args), params_of(s, args->target));
	f = rpc_wait(&s->rpc, info, &s->info);
	return f ? f : rpc_wait(&s->rpc, question, &s->result);
}

static struct failure *ask_running(struct session *s)
{
	const struct args *args = s->args;
	struct failure *f = connect_running(s);

	if (f)
		return f;
	if (args->command == COMMAND_ATTACH || args->command == COMMAND_LAUNCH)
		return rpc_wait(&s->rpc, rpc_request(&s->rpc, attach_method(args), attach_params(s)), &s->result);
	if (args->pid || args->core)
		return ask_attached(s);
	if (args->target)
		return ask_target(s);
	return ask(s, NULL);
}

static struct failure *read_params(struct session *s)
{
	const char *text = s->args->params;
	char *input = NULL;

	if (!text)
		return NULL;
	if (!strcmp(text, "-")) {
		input = read_all(STDIN_FILENO, MAX_PARAMS);
		if (!input)
			return failure_create(EXIT_USAGE, "usage", NULL, "cannot read standard input: %m");
		text = input;
	}
	size_t len = strlen(text);
	while (len && strchr(" \t\r\n", text[len - 1]))
		len--;
	s->params = format_parse(text, len);
	free(input);
	if (json_object_is_type(s->params, json_type_object))
		return NULL;
	return failure_create(EXIT_USAGE, "usage", "like '{\"pid\":4711}', in single quotes for the shell",
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
	return args_is_private(s->args) ? ask_private(s) : ask_running(s);
}

struct failure *session_open(struct session *s)
{
	return args_is_private(s->args) ? open_private(s) : connect_running(s);
}

struct failure *session_open_alone(struct session *s)
{
	if (spawn_open_worker(&s->rpc.conn))
		return NULL;
	rpc_deinit(&s->rpc);
	rpc_init(&s->rpc, s->args->timeout_s, s->args->verbose);
	return open_private(s);
}

struct failure *session_attach(struct session *s)
{
	struct conn *c = &s->rpc.conn;

	rpc_restart(&s->rpc);
	int id = rpc_request(&s->rpc, attach_method(s->args), attach_params(s));
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
	struct json_object *params, *detached;

	/* There is nothing to be had from a daemon that does not answer. */
	if (!target || (failure && failure->code != EXIT_ANSWER && !interrupt_came()))
		return failure;
	params = json_object_new_object();
	json_object_object_add(params, "target", json_object_new_string(target));
	struct failure *late = session_call(s, "target.detach", params, &detached);
	if (!late)
		json_object_put(detached);
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
