/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A private ompdd, or a worker alone, on a socket pair, for one command: its start, its log and its exit. */
#include "connection.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path.h"

#define LOG_KEPT 4096
/* Time limit after EOF, and after each of SIGTERM and SIGKILL. */
#define GRACE_MS 2000

/* The descriptor of a started worker's file. */
#define SPAWN_FILE	3
#define SPAWN_FILE_TEXT "3"

extern char **environ;

/* Return the path of @name in the folder of our own executable, if access() allows @mode; otherwise NULL. The caller
 * frees it. */
static char *find_file_beside(const char *name, int mode)
{
	char folder[PATH_MAX], path[2 * PATH_MAX];

	if (!path_own_folder(folder, sizeof(folder)))
		return NULL;
	int n = snprintf(path, sizeof(path), "%s/%s", folder, name);
	return n < (int)sizeof(path) && !access(path, mode) ? strdup(path) : NULL;
}

char *spawn_file_beside_us(const char *name)
{
	return find_file_beside(name, R_OK);
}

char *spawn_beside_us(const char *name)
{
	char path[PATH_MAX];
	char *found = find_file_beside(name, X_OK);

	if (found)
		return found;
	snprintf(path, sizeof(path), "../libexec/ompdd/%s", name);
	return find_file_beside(path, X_OK);
}

/* Return the path of one of our helper programs; NULL: not present. The caller frees it. */
static char *find_helper(const struct connection *c, const char *name)
{
	char *path;

	if (!c->programs)
		return spawn_beside_us(name);
	if (asprintf(&path, "%s/%s", c->programs, name) < 0)
		return NULL;
	if (!access(path, X_OK))
		return path;
	free(path);
	return NULL;
}

/* Start @argv on @socket and @log. @file becomes its descriptor SPAWN_FILE; -1: none. */
static int start_program(struct connection *c, char **argv, char **env, int socket, int log, int file)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	int code;

	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE); /* main() ignores it, and the program would inherit that */
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO);
	if (file >= 0)
		posix_spawn_file_actions_adddup2(&actions, file, SPAWN_FILE);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	/* Its own process group: ^C at the terminal is for ompdctl only, and must not lose the recording. */
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	code = posix_spawnp(&c->pid, argv[0], &actions, &attributes, argv, env);
	if (code)
		c->pid = 0;
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return code;
}

/* Start @argv with @env; c->name is for messages. @file: as in start_program(). */
static struct error *open_program(struct connection *c, char **argv, char **env, int file)
{
	int sockets[2], pipes[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		return failure_create(ERR_CONNECT, "cannot_start", NULL, "socketpair: %m");
	if (pipe2(pipes, O_CLOEXEC | O_NONBLOCK)) {
		close(sockets[0]);
		close(sockets[1]);
		return failure_create(ERR_CONNECT, "cannot_start", NULL, "pipe: %m");
	}
	/* Only our ends are non-blocking. */
	fcntl(sockets[0], F_SETFL, O_NONBLOCK);
	fcntl(pipes[1], F_SETFL, 0);

	int code = start_program(c, argv, env, sockets[1], pipes[1], file);
	close(sockets[1]);
	close(pipes[1]);
	c->fd = sockets[0];
	c->log_fd = pipes[0];
	if (code)
		return failure_create(ERR_CONNECT, "cannot_start", c->advice->no_daemon_program, "cannot start %s: %s",
				      c->name, strerror(code));
	return NULL;
}

struct error *spawn_open(struct connection *c, const char *ompdd, const char *const *options, size_t n_options)
{
	c->name = ompdd ? strdup(ompdd) : find_file_beside("ompdd", X_OK);
	if (!c->name)
		c->name = strdup("ompdd");
	char **argv = calloc(n_options + 4, sizeof(*argv));
	if (!argv || !c->name) {
		free(argv);
		return &error_nomem;
	}
	argv[0] = c->name;
	argv[1] = "--listen";
	argv[2] = "stdio";
	for (size_t i = 0; i < n_options; i++)
		argv[3 + i] = (char *)options[i];
	struct error *f = open_program(c, argv, environ, -1);
	free(argv);
	return f;
}

/*
 * Return the worker's environment, the same as under ompdd: our variables must not affect which libraries it loads.
 * NULL: out of memory.
 */
static char **create_worker_environment(void)
{
	static const char *const keep[] = {"TZ=",	    "TMPDIR=",	     "ASAN_OPTIONS=",	  "UBSAN_OPTIONS=",
					   "LSAN_OPTIONS=", "TSAN_OPTIONS=", "LLVM_PROFILE_FILE="};
	const size_t n_keep = sizeof(keep) / sizeof(keep[0]);
	char **env = calloc(n_keep + 3, sizeof(*env));
	size_t n = 0;

	if (!env)
		return NULL;
	env[n++] = (char *)"PATH=/usr/local/bin:/usr/bin:/bin";
	env[n++] = (char *)"LC_ALL=C.UTF-8";
	for (size_t i = 0; i < n_keep; i++) {
		for (char **e = environ; *e; e++) {
			if (strncmp(*e, keep[i], strlen(keep[i])))
				continue;
			env[n++] = *e;
			break;
		}
	}
	return env;
}

int spawn_open_worker(struct connection *c, int file)
{
	/* The worker's default time limit for a library is meant for manual use, so it is set here. */
	char *argv[] = {NULL, "--plugin-timeout-ms", "10000", file >= 0 ? "--dump-fd" : NULL, SPAWN_FILE_TEXT, NULL};

	if (!c->name)
		c->name = find_helper(c, "ompdd-worker");
	char **env = c->name ? create_worker_environment() : NULL;
	if (!env)
		return 0;
	argv[0] = c->name;
	struct error *f = open_program(c, argv, env, file);
	free(env);
	if (!f)
		return 1;
	error_destroy(f);
	return 0;
}

struct error *spawn_open_bridge(struct connection *c, const struct uri *uri, const struct bridge_options *o)
{
	const char *name = uri_is_http(uri) ? "ompdctl-http" : "ompdctl-tls";
	char *argv[10], *program = find_helper(c, name);
	size_t n = 1;

	if (!program)
		return failure_create(ERR_CONNECT, "cannot_start", c->advice->no_bridge,
				      "cannot find %s %s%s, which is needed for %s", name,
				      c->programs ? "in " : "beside ompdctl", c->programs ? c->programs : "",
				      uri_is_http(uri) ? "HTTP" : "TLS");
	argv[0] = program;
	if (o->with_events && uri_is_http(uri))
		argv[n++] = (char *)"--events";
	if (uri->kind == URI_HTTPS)
		argv[n++] = (char *)"--tls";
	if (o->with_munge)
		argv[n++] = (char *)"--munge";
	if (o->token_file) {
		argv[n++] = (char *)"--token-file";
		argv[n++] = (char *)o->token_file;
	}
	if (uri->path) {
		argv[n++] = (char *)"--unix";
		argv[n++] = uri->path;
	} else {
		argv[n++] = uri->host;
		argv[n++] = uri->port;
	}
	argv[n] = NULL;
	c->name = uri_format(uri);
	c->is_bridge = 1;
	c->is_http = uri_is_http(uri);
	struct error *f = c->name ? open_program(c, argv, environ, -1) : &error_nomem;
	free(program);
	return f;
}

void spawn_read_log(struct connection *c)
{
	char chunk[4096];
	ssize_t n;

	while ((n = read(c->log_fd, chunk, sizeof(chunk))) > 0) {
		if (c->log_copy >= 0 && write(c->log_copy, chunk, (size_t)n) < 0)
			c->log_copy = -1;
		error_destroy(buf_append(&c->log, chunk, (size_t)n));
		if (c->log.len > 2 * LOG_KEPT)
			buf_consume(&c->log, c->log.len - LOG_KEPT);
	}
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
		close(c->log_fd);
		c->log_fd = -1;
	}
}

/* Wait up to @ms milliseconds for the daemon's exit, and read its log so that it does not block on it. Returns 1
 * when it has exited. */
static int wait_end(struct connection *c, int ms, int *status_ret)
{
	int64_t deadline = clock_now_ms() + ms;
	int fd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	int ended = 0;

	for (;;) {
		struct pollfd fds[2] = {{.fd = fd, .events = POLLIN}, {.fd = c->log_fd, .events = POLLIN}};
		int64_t left = deadline - clock_now_ms();

		ended = waitpid(c->pid, status_ret, WNOHANG) == c->pid;
		if (ended || left <= 0)
			break;
		/* Without pidfd (kernel before 5.3), check every few milliseconds. */
		int n = poll(fds, 2, fd >= 0 ? (int)left : left > 5 ? 5 : (int)left);
		if (n > 0 && fds[1].revents)
			spawn_read_log(c);
	}
	if (fd >= 0)
		close(fd);
	if (ended)
		c->pid = 0;
	if (ended && c->log_fd >= 0)
		spawn_read_log(c);
	return ended;
}

/* Return the last line of the log that is not empty. It points into the log, which is cut after it. */
static const char *get_last_line(struct connection *c)
{
	char *log = buf_head(&c->log);

	while (c->log.len && strchr("\n\r ", log[c->log.len - 1]))
		log[--c->log.len] = 0;
	char *newline = log ? strrchr(log, '\n') : NULL;
	return newline ? newline + 1 : log ? log : "";
}

/* Write to @ret, of @size bytes, how the program ended with @status. */
static void describe_end(int status, char *ret, size_t size)
{
	const char *signal_text = WIFSIGNALED(status) ? sigdescr_np(WTERMSIG(status)) : NULL;

	if (WIFSIGNALED(status))
		snprintf(ret, size, "was killed by signal %d (%s)", WTERMSIG(status),
			 signal_text ? signal_text : "a signal without a name");
	else
		snprintf(ret, size, "ended with status %d", WEXITSTATUS(status));
}

struct error *spawn_died(struct connection *c)
{
	char how[100] = "closed its output";
	int status = 0;

	if (wait_end(c, GRACE_MS, &status))
		describe_end(status, how, sizeof(how));
	const char *words = get_last_line(c);
	struct error *f = failure_create(ERR_CONNECT, "daemon_died", NULL, "%s %s without an answer", c->name, how);
	return *words ? error_hint(f, "it said: %s", words) : f;
}

void spawn_end(struct connection *c)
{
	int status;

	if (!c->pid)
		return;
	/* A daemon that did not answer in time gets signals at once. */
	if (clock_now_ms() < c->deadline_ms && wait_end(c, GRACE_MS, &status))
		return;
	kill(c->pid, SIGTERM);
	if (wait_end(c, GRACE_MS, &status))
		return;
	kill(c->pid, SIGKILL);
	wait_end(c, GRACE_MS, &status);
}
