/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding and starting the executable ompdd-tracer. Called by tracer.c. */
#include "target/tracer_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target/tracer_protocol.h"

#define EXECUTABLE "ompdd-tracer"

/* Beside our own executable; $OMPDD_TRACER for who runs it from elsewhere (the daemon passes no such variable). */
static void find_executable(char *path, size_t size)
{
	const char *named = getenv("OMPDD_TRACER");
	ssize_t n = named ? -1 : readlink("/proc/self/exe", path, size - 1);

	if (named || n <= 0) {
		snprintf(path, size, "%s", named ? named : EXECUTABLE);
		return;
	}
	path[n] = '\0';
	char *slash = strrchr(path, '/');
	size_t dir = slash ? (size_t)(slash - path) + 1 : 0;
	snprintf(path + dir, size - dir, EXECUTABLE);
}

/* The child of the fork: only async-signal-safe calls. */
static void __attribute__((noreturn)) child(const char *path, int sock, int board, int launch, int status)
{
	char *argv[] = {(char *)EXECUTABLE, NULL};
	char *envp[] = {(char *)"PATH=/usr/local/bin:/usr/bin:/bin", NULL};
	int fds[3] = {sock, board, launch};
	sigset_t none;

	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Up first, so that none is overwritten before it is moved. */
	for (int i = 0; i < 3; i++)
		fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 16);
	status = fcntl(status, F_DUPFD_CLOEXEC, 16);
	if (dup2(fds[0], TRACER_FD_SOCKET) >= 0 && dup2(fds[1], TRACER_FD_BOARD) >= 0 &&
	    dup2(fds[2], TRACER_FD_LAUNCH) >= 0) {
#ifdef SYS_close_range
		/* A plugin's descriptors are not for the target that may be launched. */
		syscall(SYS_close_range, TRACER_FD_LAUNCH + 1, ~0u, 4 /* CLOSE_RANGE_CLOEXEC */);
#endif
		execve(path, argv, envp);
	}
	int failed = errno;
	ssize_t ignored = write(status, &failed, sizeof(failed));
	(void)ignored;
	_exit(127);
}

struct error *tracer_spawn(int sock, int board, int launch, pid_t *pid_ret)
{
	char path[PATH_MAX];
	int status[2], failed = 0;

	find_executable(path, sizeof(path));
	if (pipe2(status, O_CLOEXEC))
		return error_create_errno(errno, "pipe");
	pid_t pid = fork();
	if (pid == 0)
		child(path, sock, board, launch, status[1]);
	int fork_errno = errno;
	close(status[1]);
	ssize_t n;
	do
		n = pid < 0 ? 0 : read(status[0], &failed, sizeof(failed));
	while (n < 0 && errno == EINTR);
	close(status[0]);
	if (pid < 0)
		return error_create(ERR_TRACER_FAILED, "fork: %s", strerror(fork_errno));
	if (n > 0) {
		waitpid(pid, NULL, 0);
		return error_create(ERR_TRACER_FAILED, "cannot start %s: %s", path, strerror(failed));
	}
	*pid_ret = pid;
	return NULL;
}
