/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starts tracing a process, by attaching to it or at its launch. Part of ompdd-tracer. */
#include "tracer/tracee.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "base/clock.h"
#include "target/memory/timed_reader.h"
#include "target/trace/traced.h"

#define OPTIONS                                                                                                        \
	(PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEVFORKDONE |                    \
	 PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD)
/* The number of rounds that search for untraced threads. */
#define MAX_ROUNDS 1000

/* Open the list of threads at its start; @taskfd stays the caller's. */
static DIR *open_tasks(int taskfd)
{
	int fd = dup(taskfd);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (dir)
		rewinddir(dir);
	else if (fd >= 0)
		close(fd);
	return dir;
}

/* SEIZE the untraced threads, until @end_us. *@n_ret: their number. */
static int seize_missing(struct tracee *p, int64_t end_us, size_t *n_ret, pid_t *tid_ret)
{
	DIR *dir = open_tasks(p->taskfd);
	struct dirent *entry;
	int err = 0;

	*n_ret = 0;
	if (!dir)
		return ESRCH;
	while (!err && (entry = readdir(dir))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid <= 0 || tracee_find(p, tid))
			continue;
		if (clock_now_us() > end_us) {
			*tid_ret = tid;
			err = ETIMEDOUT;
			break;
		}
		enum traced_seizing r = traced_seize(p->taskfd, tid, OPTIONS);
		int errnum = r == TRACED_REFUSED ? errno : ENOSPC;
		/* A zombie is expected only if it is the process's main thread. */
		if (r == TRACED_GONE || (r == TRACED_ZOMBIE && tid != p->pid))
			continue;
		struct tracee_thread *t = r == TRACED_REFUSED ? NULL : tracee_add(p, tid);
		++*n_ret;
		if (t) {
			t->state = r == TRACED_ZOMBIE ? TRACEE_ZOMBIE : TRACEE_RUNNING;
			t->interrupted = false;
			continue;
		}
		*tid_ret = tid;
		/* The next round shows whether the refusal was temporary. */
		if (errnum != EPERM || !p->n_threads)
			err = errnum;
	}
	closedir(dir);
	return err;
}

/* Open a file of a living thread, because the main thread may have ended. */
static int open_file(pid_t pid, int taskfd, const char *name, int flags)
{
	char path[64];
	DIR *dir = open_tasks(taskfd);
	struct dirent *entry;
	int fd = -1;

	if (!dir)
		return -1;
	errno = ESRCH;
	while (fd < 0 && (entry = readdir(dir))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid <= 0 || traced_is_over(traced_state(taskfd, tid)))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, name);
		fd = open(path, flags | O_CLOEXEC);
	}
	int errnum = errno;
	closedir(dir);
	errno = errnum;
	return fd;
}

static int open_files(struct tracee *p, pid_t pid)
{
	char path[64];

	p->pid = pid;
	p->exited = p->execed = false;
	p->trap = (struct tracee_trap){0};
	if (p->memfd >= 0)
		close(p->memfd);
	if (p->taskfd >= 0)
		close(p->taskfd);
	timed_reader_destroy(p->reader);
	p->reader = NULL;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	p->taskfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	p->memfd = p->taskfd < 0 ? -1 : open_file(pid, p->taskfd, "mem", O_RDWR);
	int errnum = p->memfd < 0 ? errno : 0;
	if (!errnum)
		p->reader = timed_reader_create(dup(p->memfd), open_file(pid, p->taskfd, "pagemap", O_RDONLY));
	return errnum ? errnum : p->reader ? 0 : ENOMEM;
}

static bool has_stopped(const struct tracee *p)
{
	for (size_t i = 0; i < p->n_threads; i++) {
		if (p->threads[i].state == TRACEE_STOPPED)
			return true;
	}
	return false;
}

int tracee_attach(struct tracee *p, pid_t pid, unsigned limit_ms, pid_t *tid_ret)
{
	int64_t end = clock_now_us() + (int64_t)limit_ms * 1000;
	size_t n_new;

	*tid_ret = pid;
	int err = open_files(p, pid);
	/* Stopped threads start no new ones: when a round finds no more, all threads are stopped. */
	for (int round = 0; !err; round++) {
		err = seize_missing(p, end, &n_new, tid_ret);
		if (err || (!n_new && round))
			break;
		int64_t left_ms = (end - clock_now_us()) / 1000;
		if (left_ms < 1 || round == MAX_ROUNDS) {
			err = ETIMEDOUT;
			break;
		}
		if (round > 2)
			traced_give_way(round, 1);
		err = tracee_stop(p, (unsigned)left_ms, tid_ret);
	}
	if (!err && (p->exited || !has_stopped(p)))
		err = ESRCH;
	if (!err && p->execed)
		err = ENOEXEC;
	if (err)
		tracee_release(p);
	return err;
}

int tracee_seize_child(pid_t pid)
{
	return (int)ptrace(PTRACE_SEIZE, pid, NULL, (void *)(long)OPTIONS);
}

int tracee_adopt(struct tracee *p, pid_t pid)
{
	int err = open_files(p, pid);

	if (err)
		return err;
	struct tracee_thread *t = tracee_add(p, pid);
	if (!t)
		return ENOSPC;
	t->state = TRACEE_STOPPED;
	p->launched = true;
	p->mode = TRACEE_STOPS;
	return 0;
}
