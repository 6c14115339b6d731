/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Supervises `ompdctl watch --json`, and reads the events that it prints. */
#include "server/rules.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <json-c/json.h>

#include "base/audit.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/path.h"
#include "base/spawn.h"
#include "rpc/json_read.h"
#include "server/internal.h"

#define RESTART_MS 10000
/* A longer line is not an event. */
#define MAX_LINE  65536
#define READ_SIZE 4096
#define MAX_READS 16
/* Exit status of ompdctl for a wrong command line: another start would not help. */
#define EXIT_WRONG 3
/* Descriptor of the rules in the child. */
#define RULES_FD   3
#define MAX_REASON 8192

struct rules {
	struct server *server;
	pid_t pid; /* 0: not running */
	int fd;	   /* its standard output; -1: none */
	uv_poll_t poll;
	uv_timer_t restart;
	bool has_poll;
	struct buf line;
	bool is_too_long; /* skip the rest of the line */
	uint64_t actions[SERVER_MAX_RULES], failures[SERVER_MAX_RULES];
};

struct watcher {
	char path[PATH_MAX + 16];
	const char *argv[8];
	int rules, out;
	bool with_log; /* its standard error is ours; otherwise it is @out, too */
};

static void become_watcher(const void *arg)
{
	const struct watcher *w = arg;
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	/* If the daemon is killed, nothing may run programs in its name. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(w->out, STDOUT_FILENO) < 0 ||
	    (!w->with_log && dup2(w->out, STDERR_FILENO) < 0))
		return;
	if (w->rules == RULES_FD ? fcntl(RULES_FD, F_SETFD, 0) : dup2(w->rules, RULES_FD) < 0)
		return;
	execv(w->path, (char *const *)w->argv);
}

/* Start ompdctl with the rules in a file in memory. *@out_ret is its output; the caller closes it. */
static struct error *spawn_watcher(const char *const *rules, size_t n, bool only_checks, pid_t *pid_ret, int *out_ret)
{
	struct watcher w = {
		.argv = {"ompdctl", "watch", "--rules", "/dev/fd/3", "--json", only_checks ? "--check-rules" : NULL},
		.with_log = !only_checks};
	_cleanup_close_ int file = memfd_create("ompdd-rules", MFD_CLOEXEC), out = -1;
	char folder[PATH_MAX];
	int ends[2];

	if (file < 0 || pipe2(ends, O_CLOEXEC))
		return error_create_errno(errno, "cannot pass rules to ompdctl");
	out = ends[1];
	for (size_t i = 0; i < n; i++)
		dprintf(file, "%s\n", rules[i]);
	(void)path_own_folder(folder, sizeof(folder));
	snprintf(w.path, sizeof(w.path), "%s/ompdctl", folder);
	w.rules = file;
	w.out = out;
	const struct spawn s = {.path = w.path,
				.code = ERR_INVALID_PARAMS,
				.hint = "rules need the program ompdctl beside ompdd",
				.become = become_watcher,
				.arg = &w};
	struct error *err = spawn_program(&s, pid_ret);
	if (err) {
		close(ends[0]);
		return err;
	}
	*out_ret = ends[0];
	return NULL;
}

static int await_exit(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* Return the error for the object that `ompdctl watch --check-rules --json` has printed. */
static struct error *create_mistake(const char *text)
{
	static const char place[] = "/dev/fd/3:1: ";
	struct json_object *o = json_tokener_parse(text);
	const char *message = json_read_text(o, "message"), *hint = json_read_text(json_read_member(o, "data"), "hint");

	if (!strncmp(message, place, strlen(place)))
		message += strlen(place);
	struct error *err = error_create(ERR_INVALID_PARAMS, "rule: %s", *message ? message : "ompdctl failed");
	err = error_hint(err, "%s", *hint ? hint : "ompdctl help watch explains conditions and actions");
	json_object_put(o);
	return err;
}

struct error *rules_check(const char *rule)
{
	char text[MAX_REASON + 1];
	size_t len = 0;
	pid_t pid;
	int out;

	if (strchr(rule, '\n'))
		return error_create(ERR_INVALID_PARAMS, "the rule has several lines");
	struct error *err = spawn_watcher(&rule, 1, true, &pid, &out);
	if (err)
		return err;
	ssize_t n;
	while (len < MAX_REASON && (n = read(out, text + len, MAX_REASON - len)) > 0)
		len += (size_t)n;
	close(out);
	int status = await_exit(pid);
	text[len] = '\0';
	return WIFEXITED(status) && !WEXITSTATUS(status) ? NULL : create_mistake(text);
}

/* Report an action in the log, in the audit log and in the counters. */
static void note_action(struct rules *r, struct json_object *event)
{
	struct json_object *run = json_read_member(event, "run"), *errors = json_read_member(event, "errors");
	int64_t rule = json_read_int(json_read_member(event, "rule"), 0);
	int64_t pid = json_read_int(json_read_member(event, "pid"), 0);
	bool failed = json_read_length(errors) || (run && json_read_int(json_read_member(run, "exit"), 1) != 0);

	if (rule < 1 || rule > SERVER_MAX_RULES || pid < 1 || pid > INT_MAX)
		return;
	r->actions[rule - 1]++;
	r->failures[rule - 1] += failed;
	audit_write(&(struct audit_entry){.uid = geteuid(),
					  .pid = r->pid,
					  .program = "ompdctl",
					  .method = "rule",
					  .target_pid = (pid_t)pid,
					  .outcome = failed ? "failed" : "ok"});
	log_print(LOG_WARN, "rule %d: %.64s (pid %d): %.512s", (int)rule, json_read_text(event, "program"), (int)pid,
		  json_read_text(event, "fact"));
	for (size_t i = 0; i < json_read_length(errors); i++)
		log_print(LOG_WARN, "rule %d: %.512s", (int)rule,
			  json_read_string(json_object_array_get_idx(errors, i)) ?: "?");
}

static void take_line(struct rules *r)
{
	struct json_object *event = r->is_too_long ? NULL : json_tokener_parse(buf_head(&r->line));

	if (!strcmp(json_read_text(event, "event"), "acted"))
		note_action(r, event);
	json_object_put(event);
	r->is_too_long = false;
	buf_deinit(&r->line);
}

static void take_bytes(struct rules *r, const char *data, size_t len)
{
	while (len) {
		const char *end = memchr(data, '\n', len);
		size_t n = end ? (size_t)(end - data) : len;

		r->is_too_long |= r->line.len + n > MAX_LINE;
		_cleanup_error_ struct error *err = r->is_too_long ? NULL : buf_append(&r->line, data, n);
		r->is_too_long |= err != NULL;
		if (end && (r->line.len || r->is_too_long))
			take_line(r);
		n += end != NULL;
		data += n;
		len -= n;
	}
}

static void on_poll_closed(uv_handle_t *handle)
{
	struct rules *r = handle->data;

	close(r->fd);
	r->fd = -1;
}

static void read_output(struct rules *r)
{
	char data[READ_SIZE];
	ssize_t n = 0;

	for (int i = 0; i < MAX_READS && (n = read(r->fd, data, sizeof(data))) > 0; i++)
		take_bytes(r, data, (size_t)n);
}

static void on_output(uv_poll_t *poll, int status, int events)
{
	struct rules *r = poll->data;

	read_output(r);
	/* At its end, rules_reap() follows. */
	if (status < 0 || events & UV_DISCONNECT)
		uv_poll_stop(poll);
}

/* Close the output of a watch that has ended. */
static void close_output(struct rules *r)
{
	if (!r->has_poll)
		return;
	r->has_poll = false;
	uv_close((uv_handle_t *)&r->poll, on_poll_closed);
}

static struct error *start_watcher(struct rules *r)
{
	const struct server_options *o = r->server->options;
	int out;

	struct error *err = spawn_watcher(o->rules, o->n_rules, false, &r->pid, &out);
	if (err)
		return err;
	fcntl(out, F_SETFL, O_NONBLOCK);
	int rc = uv_poll_init(&r->server->loop, &r->poll, out);
	if (rc) {
		close(out);
		kill(r->pid, SIGKILL);
		await_exit(r->pid);
		r->pid = 0;
		return error_uv(rc, "the output of ompdctl");
	}
	r->fd = out;
	r->has_poll = true;
	r->poll.data = r;
	uv_poll_start(&r->poll, UV_READABLE | UV_DISCONNECT, on_output);
	return NULL;
}

static void on_restart(uv_timer_t *timer)
{
	struct rules *r = timer->data;
	struct error *err = start_watcher(r);

	if (!err)
		return;
	log_err(LOG_ERROR, err, "rules are not watched");
	error_destroy(err);
	uv_timer_start(&r->restart, on_restart, RESTART_MS, 0);
}

struct error *rules_start(struct server *s)
{
	struct error *err = NULL;

	if (!s->options->n_rules)
		return NULL;
	for (size_t i = 0; !err && i < s->options->n_rules; i++)
		err = rules_check(s->options->rules[i]);
	if (err)
		return err;
	struct rules *r = calloc(1, sizeof(*r));
	if (!r)
		return &error_nomem;
	r->server = s;
	r->fd = -1;
	s->rules = r;
	uv_timer_init(&s->loop, &r->restart);
	r->restart.data = r;
	return start_watcher(r);
}

void rules_reap(struct server *s)
{
	struct rules *r = s->rules;
	int status;

	if (!r || !r->pid || waitpid(r->pid, &status, WNOHANG) != r->pid)
		return;
	read_output(r);
	r->pid = 0;
	if (s->stopping)
		return;
	close_output(r);
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_WRONG) {
		log_print(LOG_ERROR, "rules are not watched: ompdctl refuses them");
		return;
	}
	log_print(LOG_WARN, "ompdctl watch ended (%s %d); it is started again in %d s",
		  WIFEXITED(status) ? "status" : "signal", WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
		  RESTART_MS / 1000);
	uv_timer_start(&r->restart, on_restart, RESTART_MS, 0);
}

void rules_stop(struct server *s)
{
	struct rules *r = s->rules;

	if (!r)
		return;
	if (r->pid)
		kill(r->pid, SIGTERM);
	close_output(r);
	uv_close((uv_handle_t *)&r->restart, NULL);
}

void rules_destroy(struct rules *r)
{
	if (!r)
		return;
	buf_deinit(&r->line);
	free(r);
}

bool rules_are_watched(const struct rules *r)
{
	return r->pid != 0;
}

uint64_t rules_count_actions(const struct rules *r, size_t i)
{
	return r->actions[i];
}

uint64_t rules_count_failures(const struct rules *r, size_t i)
{
	return r->failures[i];
}
