/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether a process lives, and the thread through whose folder in /proc it is read; see process.h. */
#include "target/process/process.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "target/proc/observe.h"
#include "target/proc/proc.h"

/* The number of attempts. A process that calls exec more often than this may look as if it had exited. */
#define MAX_LOOKS 3

bool process_thread_is_alive(const struct process *p, pid_t tid)
{
	char path[32];
	struct proc_stat st;

	snprintf(path, sizeof(path), "%d/stat", tid);
	return proc_read_stat(p->taskfd, path, &st) && !st.dying;
}

static pid_t look_for_living(const struct process *p)
{
	_cleanup_free_ pid_t *tids = NULL;
	size_t n = 0;

	if (process_thread_is_alive(p, p->base.pid))
		return p->base.pid;
	error_destroy(proc_list_tasks(p->taskfd, &tids, &n));
	for (size_t i = 0; i < n; i++) {
		if (tids[i] != p->base.pid && process_thread_is_alive(p, tids[i]))
			return tids[i];
	}
	return 0;
}

/*
 * Return the main thread, or another thread if that has ended; 0: all have ended or are exiting. A thread's id changes
 * during exec(): it takes over the main thread's, so both lookups can miss it. Retry before concluding that the process
 * has exited.
 */
pid_t process_living_thread(const struct process *p)
{
	pid_t tid = 0;

	for (int i = 0; i < MAX_LOOKS && !tid; i++)
		tid = look_for_living(p);
	return tid;
}

bool process_follow_thread(struct process *p)
{
	pid_t tid = process_living_thread(p);
	char path[32];

	/* An exec by another thread creates a main thread again. */
	if (!tid || (tid == p->base.pid && !p->leader_left))
		return false;
	snprintf(path, sizeof(path), "%d", tid);
	int fd = openat(p->taskfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	close(p->dirfd);
	p->dirfd = fd;
	p->leader_left = tid != p->base.pid;
	return true;
}

int process_dir(struct process *p)
{
	char byte;

	if (readlinkat(p->dirfd, "exe", &byte, 1) < 0)
		process_follow_thread(p);
	return p->dirfd;
}

bool process_has_exited(const struct process *p)
{
	struct pollfd pfd = {.fd = p->pidfd, .events = POLLIN};

	if (p->pidfd >= 0)
		return poll(&pfd, 1, 0) > 0;
	return !process_living_thread(p);
}

struct error *process_error_exited(const struct process *p)
{
	return error_create(ERR_TARGET_EXITED, "process %d has exited", p->base.pid);
}
