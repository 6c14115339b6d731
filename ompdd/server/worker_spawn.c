/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Starts a worker process: its arguments, its user and its descriptors. Does not use uv_spawn(): a worker of a root
 * daemon needs the requesting user's groups, and libuv would reap the process itself.
 */
#include "server/worker_spawn.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/spawn.h"
#include "server/login.h"
#include "server/worker_env.h"

/* The number of options with numbers, and the longest number. */
#define N_NUMBERS  4
#define NUMBER_LEN 24

/* All inputs of the new process. */
struct start {
	const char *path;
	char *argv[16 + 2 * (SERVER_MAX_PLUGIN_DIRS + SERVER_MAX_DEBUG_DIRS)];
	int socket, log;
	bool change_user;
	uid_t uid;
	gid_t gid;
	struct rlimit files; /* the limit RLIMIT_NOFILE at the daemon's start */
};

/* Runs in the child. The daemon has one thread, so any function is safe here. */
static void become_worker(const void *arg)
{
	const struct start *s = arg;
	static const struct passwd nobody;
	const struct passwd *pw = NULL;
	char **envp;

	if (s->files.rlim_max)
		setrlimit(RLIMIT_NOFILE, &s->files);
	/* A ^C at the daemon's terminal is for the daemon, which then ends its workers in order. */
	if (!s->change_user)
		setpgid(0, 0);
	if (dup2(s->socket, STDIN_FILENO) < 0 || dup2(s->socket, STDOUT_FILENO) < 0 || dup2(s->log, STDERR_FILENO) < 0)
		return;
	if (s->change_user) {
		pw = getpwuid(s->uid);
		if (!pw)
			pw = &nobody;
	}
	struct error *err = worker_env_create(environ, pw, &envp);
	if (err) {
		errno = ENOMEM;
		return;
	}
	if (s->change_user && !login_as(s->uid, s->gid, pw))
		return;
	/* All other descriptors have close-on-exec. */
	execve(s->path, s->argv, envp);
}

/* Add an option with the number @value, written into @text. Adds nothing for 0. */
static size_t add_number(struct start *s, size_t n, const char *option, int64_t value, char text[NUMBER_LEN])
{
	if (!value)
		return n;
	snprintf(text, NUMBER_LEN, "%lld", (long long)value);
	s->argv[n++] = (char *)option;
	s->argv[n++] = text;
	return n;
}

/* @numbers: memory for the values of the options. */
static void fill_argv(struct start *s, const struct server_options *o, const char *id,
		      char numbers[N_NUMBERS][NUMBER_LEN])
{
	size_t n = 0;

	s->argv[n++] = (char *)o->worker;
	s->argv[n++] = (char *)"--target";
	s->argv[n++] = (char *)id;
	n = add_number(s, n, "--plugin-timeout-ms", o->plugin_timeout_ms, numbers[0]);
	n = add_number(s, n, "--memory-mb", o->worker_memory_mb, numbers[1]);
	n = add_number(s, n, "--cpu-s", o->worker_cpu_s, numbers[2]);
	n = add_number(s, n, "--core-space-mb", o->core_space_mb, numbers[3]);
	if (o->libompd) {
		s->argv[n++] = (char *)"--libompd";
		s->argv[n++] = (char *)o->libompd;
	}
	for (size_t i = 0; i < o->n_plugin_dirs; i++) {
		s->argv[n++] = (char *)"--plugin-dir";
		s->argv[n++] = (char *)o->plugin_dirs[i];
	}
	for (size_t i = 0; i < o->n_debug_dirs; i++) {
		s->argv[n++] = (char *)"--debug-dir";
		s->argv[n++] = (char *)o->debug_dirs[i];
	}
	if (o->log_level) {
		s->argv[n++] = (char *)"--log-level";
		s->argv[n++] = (char *)o->log_level;
	}
	s->argv[n] = NULL;
}

static struct spawn describe_worker(const struct server_options *options)
{
	return (struct spawn){
		.path = options->worker,
		.code = ERR_WORKER_FAILED,
		.hint = "name the program with ompdd --worker PATH; it must be executable for the asking user",
	};
}

struct error *worker_spawn(const struct server_options *options, const char *id, uid_t uid, gid_t gid, int socket,
			   int log, pid_t *pid_ret, int *status_ret)
{
	char numbers[N_NUMBERS][NUMBER_LEN];
	struct start start = {
		.path = options->worker,
		.socket = socket,
		.log = log,
		.files = options->files,
		/* Only root can change the user; a worker of root needs no change. */
		.change_user = geteuid() == 0 && uid != 0,
		.uid = uid,
		.gid = gid,
	};
	struct spawn s = describe_worker(options);

	s.become = become_worker;
	s.arg = &start;
	fill_argv(&start, options, id, numbers);
	return spawn_begin(&s, pid_ret, status_ret);
}

struct error *worker_spawn_failed(const struct server_options *options, int status)
{
	const struct spawn s = describe_worker(options);

	return spawn_failed(&s, status);
}
