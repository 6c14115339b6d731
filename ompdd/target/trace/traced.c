/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Single requests to the kernel about a traced thread, with the special cases of their results. */
#include "target/trace/traced.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef PTRACE_EVENT_STOP
#define PTRACE_EVENT_STOP 128
#endif

/* Rounds of short sleeps before longer ones. */
#define SHORT_ROUNDS   64
#define SHORT_SLEEP_NS 20000
#define LONG_SLEEP_NS  100000
/* With more threads than this, an extra check costs them more than a slightly later return costs the caller. */
#define MANY	      50
#define MANY_SLEEP_NS 50000
/* The first sleep: the minimum for one thread on two processors, and the maximum for all. */
#define FIRST_EACH_NS 1000
#define FIRST_MAX_NS  1000000

pid_t traced_wait(pid_t tid, int *status_ret)
{
	pid_t r;

	do
		r = waitpid(tid, status_ret, __WALL | WNOHANG);
	while (r < 0 && errno == EINTR);
	return r;
}

struct traced_news traced_read(int status)
{
	if (!WIFSTOPPED(status))
		return (struct traced_news){TRACED_END, 0};
	switch (status >> 16) {
	case 0:
		return (struct traced_news){TRACED_SIGNAL, WSTOPSIG(status)};
	case PTRACE_EVENT_STOP:
		if (WSTOPSIG(status) == SIGTRAP)
			return (struct traced_news){TRACED_INTERRUPTED, 0};
		return (struct traced_news){TRACED_GROUP_STOP, WSTOPSIG(status)};
	case PTRACE_EVENT_CLONE:
		return (struct traced_news){TRACED_CLONE, 0};
	case PTRACE_EVENT_FORK:
		return (struct traced_news){TRACED_FORK, 0};
	case PTRACE_EVENT_VFORK:
		return (struct traced_news){TRACED_VFORK, 0};
	case PTRACE_EVENT_EXEC:
		return (struct traced_news){TRACED_EXEC, 0};
	default:
		return (struct traced_news){TRACED_OTHER, 0};
	}
}

enum traced_seizing traced_seize(int taskfd, pid_t tid, int options)
{
	if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)(long)options) == 0)
		return TRACED_SEIZED;
	int errnum = errno;
	char state = errnum == ESRCH ? 'X' : traced_state(taskfd, tid);
	errno = errnum;
	return state == 'X' ? TRACED_GONE : state == 'Z' ? TRACED_ZOMBIE : TRACED_REFUSED;
}

void traced_interrupt(pid_t tid)
{
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
}

bool traced_is_stopped(pid_t tid)
{
	unsigned long message;

	return ptrace(PTRACE_GETEVENTMSG, tid, NULL, &message) == 0;
}

bool traced_detach(pid_t tid, int sig)
{
	return ptrace(PTRACE_DETACH, tid, NULL, (void *)(long)sig) == 0;
}

char traced_state(int taskfd, pid_t tid)
{
	char path[64], text[512];

	snprintf(path, sizeof(path), taskfd == AT_FDCWD ? "/proc/%d/stat" : "%d/stat", tid);
	int fd = openat(taskfd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 'X';
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	/* Search after the name, which may contain any text. */
	const char *name_end = strrchr(text, ')');
	return name_end && name_end[1] ? name_end[2] : 'X';
}

void traced_give_way(int round, size_t n)
{
	long ns = round >= SHORT_ROUNDS ? LONG_SLEEP_NS : n > MANY ? MANY_SLEEP_NS : SHORT_SLEEP_NS;

	if (round == 0 && n > MANY)
		ns = n < FIRST_MAX_NS / FIRST_EACH_NS ? (long)n * FIRST_EACH_NS : FIRST_MAX_NS;
	nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}
