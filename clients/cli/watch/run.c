/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program of a rule: one at a time, in a process group of its own. */
#include "watch/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <json-c/json.h>

#include "base/clock.h"
#include "base/secure_path.h"
#include "base/spawn.h"
#include "text.h"

extern char **environ;

struct execution {
	char *path;
	char **env;
};

/* Resolve the program to a path without links, and check its owner. */
static struct error *resolve_program(const char *program, char ret[PATH_MAX])
{
	struct error *err = strchr(program, '/') ? secure_path_resolve(program, ret) : NULL;
	struct stat st;
	const char *why = NULL;

	if (err)
		why = err->message;
	else if (!strchr(program, '/'))
		why = "it needs a path, such as /usr/local/bin/notify";
	else if (lstat(ret, &st))
		why = strerror(errno);
	else if (!S_ISREG(st.st_mode))
		why = "not a regular file";
	else if ((st.st_uid != 0 && st.st_uid != geteuid()) || st.st_mode & (S_IWGRP | S_IWOTH))
		why = "other users can change it";
	else if (access(ret, X_OK))
		why = strerror(errno);
	struct error *f = why ? failure_usage("chmod go-w, and make yourself or root its owner", "cannot run %s: %s",
					      program, why)
			      : NULL;
	error_destroy(err);
	return f;
}

struct error *run_check(const char *program)
{
	char path[PATH_MAX];

	return resolve_program(program, path);
}

static void become_program(const void *arg)
{
	const struct execution *e = arg;
	char *argv[] = {e->path, NULL};
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	execve(e->path, argv, e->env);
}

/* Return the environment of this process, without the variables of @more, and @more. The caller frees the array. */
static char **create_environment(char *const *more)
{
	size_t n = 0, n_more = 0, count = 0;

	while (environ[n])
		n++;
	while (more[n_more])
		n_more++;
	char **env = text_calloc(n + n_more + 1, sizeof(*env));
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < n_more && strncmp(environ[i], more[k], strcspn(more[k], "=") + 1) != 0)
			k++;
		if (k == n_more)
			env[count++] = environ[i];
	}
	memcpy(env + count, more, n_more * sizeof(*env));
	return env;
}

/* Wait until the process ends. Returns 0 if the limit has expired or a signal has come. */
static int wait_process(pid_t pid, double limit_s, const struct connection *signals)
{
	int64_t end_ms = clock_now_ms() + (int64_t)(limit_s * 1000);
	int fd = (int)syscall(SYS_pidfd_open, pid, 0), has_ended = 0;

	while (fd >= 0 && !has_ended && !(signals->interrupted && *signals->interrupted)) {
		int64_t left_ms = end_ms - clock_now_ms();
		struct timespec left = {left_ms / 1000, left_ms % 1000 * 1000000};
		struct pollfd one = {.fd = fd, .events = POLLIN};

		if (left_ms <= 0)
			break;
		has_ended = ppoll(&one, 1, &left, &signals->waiting_mask) > 0;
	}
	if (fd >= 0)
		close(fd);
	return has_ended;
}

int run_wait_end(pid_t pid, double limit_s, const struct connection *signals, int *status_ret)
{
	int has_ended = wait_process(pid, limit_s, signals);

	if (!has_ended)
		kill(-pid, SIGKILL);
	while (waitpid(pid, status_ret, 0) < 0 && errno == EINTR)
		;
	return has_ended;
}

struct json_object *run_program(const char *program, char *const *env, double limit_s, const struct connection *signals,
				struct error **failure_ret)
{
	char path[PATH_MAX];
	struct error *f = resolve_program(program, path);
	struct execution e = {.path = path};
	pid_t pid;
	int status = 0;

	if (!f) {
		struct spawn s = {.path = program, .code = ERR_ANSWER, .become = become_program, .arg = &e};

		e.env = create_environment(env);
		f = spawn_program(&s, &pid);
		free(e.env);
	}
	if (f) {
		*failure_ret = f;
		return NULL;
	}
	struct json_object *o = json_object_new_object();
	int has_ended = run_wait_end(pid, limit_s, signals, &status);
	if (!has_ended)
		json_object_object_add(o, signals->interrupted && *signals->interrupted ? "interrupted" : "timed_out",
				       json_object_new_boolean(1));
	else if (WIFEXITED(status))
		json_object_object_add(o, "exit", json_object_new_int(WEXITSTATUS(status)));
	else
		json_object_object_add(o, "signal", json_object_new_int(WTERMSIG(status)));
	return o;
}
