/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The start of a worker process: its arguments, its user and its descriptors. Not with uv_spawn(): a worker of a root
 * daemon needs the asking user's groups, and libuv would reap for itself.
 */
#include "server/worker_spawn.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/spawn.h"
#include "server/worker_env.h"

#define MAX_GROUPS 256
/* Options with numbers, and the longest of these. */
#define N_NUMBERS  4
#define NUMBER_LEN 24

/* Everything that the new process needs, made before the fork. */
struct start {
	const char *path;
	char *argv[16 + 2 * (SERVER_MAX_PLUGIN_DIRS + SERVER_MAX_DEBUG_DIRS)];
	char **envp;
	int socket, log;
	bool change_user;
	uid_t uid;
	gid_t gid;
	gid_t groups[MAX_GROUPS];
	int n_groups;
	struct rlimit files; /* RLIMIT_NOFILE that we were started with */
};

/* In the child: only async-signal-safe calls. */
static void become(const void *arg)
{
	const struct start *s = arg;

	if (s->files.rlim_max)
		setrlimit(RLIMIT_NOFILE, &s->files);
	/* A ^C at the daemon's terminal is for the daemon, which then ends us in order. */
	setpgid(0, 0);
	if (dup2(s->socket, STDIN_FILENO) < 0 || dup2(s->socket, STDOUT_FILENO) < 0 || dup2(s->log, STDERR_FILENO) < 0)
		return;
	if (s->change_user && (setgroups((size_t)s->n_groups, s->groups) || setresgid(s->gid, s->gid, s->gid) ||
			       setresuid(s->uid, s->uid, s->uid)))
		return;
	/* All else has close-on-exec. */
	execve(s->path, s->argv, s->envp);
}

/* An option whose value is a number, written into @text; none for 0. */
static size_t add_number(struct start *s, size_t n, const char *option, int64_t value, char text[NUMBER_LEN])
{
	if (!value)
		return n;
	snprintf(text, NUMBER_LEN, "%lld", (long long)value);
	s->argv[n++] = (char *)option;
	s->argv[n++] = text;
	return n;
}

/* @numbers: where the options' values are put. */
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

/* Only root can, and need not for root. */
static struct error *fill_user(struct start *s, uid_t uid, gid_t gid)
{
	static const struct passwd nobody;

	if (geteuid() != 0 || uid == 0)
		return worker_env_create(environ, NULL, &s->envp);
	s->change_user = true;
	s->uid = uid;
	s->gid = gid;
	s->groups[0] = gid;
	s->n_groups = 1;
	const struct passwd *pw = getpwuid(uid);
	struct error *err = worker_env_create(environ, pw ? pw : &nobody, &s->envp);
	if (err || !pw)
		return err; /* a user without a name has no supplementary groups */
	s->n_groups = MAX_GROUPS;
	if (getgrouplist(pw->pw_name, gid, s->groups, &s->n_groups) < 0)
		return error_create(ERR_WORKER_FAILED, "user %s is in more than %d groups", pw->pw_name, MAX_GROUPS);
	return NULL;
}

struct error *worker_spawn(const struct server_options *options, const char *id, uid_t uid, gid_t gid, int socket,
			   int log, pid_t *pid_ret)
{
	char numbers[N_NUMBERS][NUMBER_LEN];
	struct start start = {.path = options->worker, .socket = socket, .log = log, .files = options->files};
	struct spawn s = {
		.path = options->worker,
		.code = ERR_WORKER_FAILED,
		.hint = "name the program with ompdd --worker PATH; it must be executable for the asking user",
		.become = become,
		.arg = &start,
	};

	fill_argv(&start, options, id, numbers);
	struct error *err = fill_user(&start, uid, gid);
	_cleanup_(cleanup_worker_env) char **env = start.envp;
	return err ? err : spawn_program(&s, pid_ret);
}
