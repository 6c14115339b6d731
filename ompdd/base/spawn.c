/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Forks a child that either runs a program or reports why it could not. */
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Descriptors below this are reserved for the program. */
#define FIRST_FREE_FD 16

/*
 * Reset our handlers: in the child they would act on the parent's objects, as libuv's handler writes to its pipe.
 * Ignored signals stay ignored (nohup), except SIGPIPE, which we ignore ourselves.
 */
static void reset_signals(void)
{
	struct sigaction action;
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++) {
		if (sigaction(sig, NULL, &action) == 0 && action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL)
			signal(sig, SIG_DFL);
	}
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void __attribute__((noreturn)) run_child(const struct spawn *s, int status)
{
	reset_signals();
	s->become(s->arg);
	int failed = errno;
	ssize_t ignored = write(status, &failed, sizeof(failed));
	(void)ignored;
	_exit(127);
}

struct error *spawn_begin(const struct spawn *s, pid_t *pid_ret, int *status_ret)
{
	sigset_t all, before;
	int status[2];

	if (pipe2(status, O_CLOEXEC))
		return error_create_errno(errno, "pipe");
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid_t pid = fork();
	if (pid == 0) {
		/* Move it above the descriptors of the program. */
		int high = fcntl(status[1], F_DUPFD_CLOEXEC, FIRST_FREE_FD);

		run_child(s, high < 0 ? status[1] : high);
	}
	int fork_errno = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(status[1]);
	if (pid < 0) {
		close(status[0]);
		return error_create(s->code, "fork: %s", strerror(fork_errno));
	}
	*pid_ret = pid;
	*status_ret = status[0];
	return NULL;
}

struct error *spawn_failed(const struct spawn *s, int status)
{
	int failed = 0;
	ssize_t n;

	do
		n = read(status, &failed, sizeof(failed));
	while (n < 0 && errno == EINTR);
	if (n != sizeof(failed))
		return NULL;
	struct error *err = error_create(s->code, "cannot start %s: %s", s->path, strerror(failed));
	return s->hint ? error_hint(err, "%s", s->hint) : err;
}

struct error *spawn_program(const struct spawn *s, pid_t *pid_ret)
{
	pid_t pid;
	int status;

	struct error *err = spawn_begin(s, &pid, &status);
	if (err)
		return err;
	err = spawn_failed(s, status);
	close(status);
	if (!err) {
		*pid_ret = pid;
		return NULL;
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return err;
}
