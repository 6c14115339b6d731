/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds and starts the executable ompdd-tracer. */
#include "target/trace/tracer_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory_limit.h"
#include "base/path.h"
#include "base/spawn.h"
#include "target/trace/tracer_protocol.h"

#define EXECUTABLE "ompdd-tracer"

/*
 * Find it in the folder of our own executable, or at $OMPDD_TRACER for tests; the daemon does not pass that variable.
 */
static void find_executable(char *path, size_t size)
{
	const char *named = getenv("OMPDD_TRACER");

	if (named || !path_own_folder(path, size)) {
		snprintf(path, size, "%s", named ? named : EXECUTABLE);
		return;
	}
	size_t dir = strlen(path);
	snprintf(path + dir, size - dir, "/" EXECUTABLE);
}

struct descriptors {
	const char *path;
	char *pid;
	int sock, board, launch;
};

/* Run in the child of the fork: only async-signal-safe calls. */
static void become_tracer(const void *arg)
{
	const struct descriptors *d = arg;
	char *argv[] = {(char *)TRACER_NAME, d->pid, NULL};
	char *envp[] = {(char *)"PATH=/usr/local/bin:/usr/bin:/bin", NULL};
	int fds[3] = {d->sock, d->board, d->launch};

	/* Launched programs inherit the limits with which this process was started. */
	memory_limit_lift();
	/* Move all descriptors to high numbers first, so that none is overwritten. */
	for (int i = 0; i < 3; i++)
		fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 16);
	if (dup2(fds[0], TRACER_FD_SOCKET) < 0 || dup2(fds[1], TRACER_FD_BOARD) < 0 ||
	    dup2(fds[2], TRACER_FD_LAUNCH) < 0)
		return;
#ifdef SYS_close_range
	/* A launched target inherits none of our descriptors. */
	syscall(SYS_close_range, TRACER_FD_LAUNCH + 1, ~0u, 4 /* CLOSE_RANGE_CLOEXEC */);
#endif
	execve(d->path, argv, envp);
}

/* Create a board that the worker can only read. Its size is sealed, so the tracer's mapping stays valid. */
static bool create_board(int *mine_ret, int *theirs_ret)
{
	char name[64];

	*theirs_ret = memfd_create("ompdd-board", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (*theirs_ret < 0 || ftruncate(*theirs_ret, (off_t)TRACER_BOARD_SIZE) ||
	    fcntl(*theirs_ret, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return false;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", *theirs_ret);
	*mine_ret = open(name, O_RDONLY | O_CLOEXEC);
	return *mine_ret >= 0;
}

struct error *tracer_spawn(int launch, pid_t pid, struct tracer_ends *ret)
{
	char path[PATH_MAX], number[16];
	int pair[2];

	_cleanup_close_ int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return error_create(ERR_TRACER_FAILED, "cannot create a socket pair: %s", strerror(errno));
	_cleanup_close_ int mine = pair[0];
	_cleanup_close_ int theirs = pair[1];
	_cleanup_close_ int board = -1;
	_cleanup_close_ int their_board = -1;
	if (!create_board(&board, &their_board))
		return error_create(ERR_TRACER_FAILED, "cannot create the board of threads: %s", strerror(errno));
	find_executable(path, sizeof(path));
	snprintf(number, sizeof(number), "%d", pid);
	struct descriptors d = {path, launch < 0 ? number : NULL, theirs, their_board, launch < 0 ? null : launch};
	struct spawn s = {.path = path, .code = ERR_TRACER_FAILED, .become = become_tracer, .arg = &d};
	struct error *err = spawn_program(&s, &ret->pid);
	if (err)
		return err;
	ret->socket = mine;
	ret->board = board;
	mine = board = -1;
	return NULL;
}
