/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding and starting the executable ompdd-tracer. */
#include "target/tracer_spawn.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory_limit.h"
#include "base/spawn.h"
#include "target/aside.h"
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

struct descriptors {
	const char *path;
	int sock, board, launch;
};

struct start {
	const struct spawn *spawn;
	pid_t pid;
	struct error *err;
};

/* The child of the fork: only async-signal-safe calls. */
static void become(const void *arg)
{
	const struct descriptors *d = arg;
	char *argv[] = {(char *)TRACER_NAME, NULL};
	char *envp[] = {(char *)"PATH=/usr/local/bin:/usr/bin:/bin", NULL};
	int fds[3] = {d->sock, d->board, d->launch};

	/* Launched programs inherit the limits that this process was started with. */
	memory_limit_lift();
	/* Move all descriptors to high numbers first, so that none is overwritten. */
	for (int i = 0; i < 3; i++)
		fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 16);
	if (dup2(fds[0], TRACER_FD_SOCKET) < 0 || dup2(fds[1], TRACER_FD_BOARD) < 0 ||
	    dup2(fds[2], TRACER_FD_LAUNCH) < 0)
		return;
#ifdef SYS_close_range
	/* A plugin's descriptors are not for the target that may be launched. */
	syscall(SYS_close_range, TRACER_FD_LAUNCH + 1, ~0u, 4 /* CLOSE_RANGE_CLOEXEC */);
#endif
	execve(d->path, argv, envp);
}

static void on_start(void *arg)
{
	struct start *s = arg;

	s->err = spawn_program(s->spawn, &s->pid);
}

struct error *tracer_spawn(int sock, int board, int launch, pid_t *pid_ret)
{
	char path[PATH_MAX];
	struct descriptors d = {path, sock, board, launch};
	struct spawn s = {.path = path, .code = ERR_TRACER_FAILED, .become = become, .arg = &d};

	find_executable(path, sizeof(path));
	struct start start = {.spawn = &s};
	aside_outside(on_start, &start);
	if (!start.err)
		*pid_ret = start.pid;
	return start.err;
}
