/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The blocking system calls of watched.c: each with its objects, and with a time limit or a way to wake it. */
#ifndef TESTS_BLOCKING_CALLS_H
#define TESTS_BLOCKING_CALLS_H

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* The time limit of calls that have one, and the period of waking the others, in milliseconds. */
#define WAIT_MS	 20
#define WAIT_NS	 (WAIT_MS * 1000000L)

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* Objects that the calls use; each thread has its own. */
struct things {
	int pipe[2], pair[2], listener, epoll, queue, semaphore, word, signal;
	pthread_t thread;
};

static const struct timespec wait_time = {.tv_nsec = WAIT_NS};

static int do_nanosleep(struct things *t)
{
	(void)t;
	return nanosleep(&wait_time, NULL);
}

static int do_clock_nanosleep(struct things *t)
{
	int64_t end = now_ns() + WAIT_NS;
	struct timespec until = {end / 1000000000L, end % 1000000000L};

	(void)t;
	errno = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	return errno ? -1 : 0;
}

static int do_poll(struct things *t)
{
	return poll(&(struct pollfd){t->pipe[0], POLLIN, 0}, 1, WAIT_MS);
}

static int do_ppoll(struct things *t)
{
	return ppoll(&(struct pollfd){t->pipe[0], POLLIN, 0}, 1, &wait_time, NULL);
}

static int do_select(struct things *t)
{
	struct timeval limit = {.tv_usec = WAIT_MS * 1000L};
	fd_set set;

	FD_ZERO(&set);
	FD_SET(t->pipe[0], &set);
	return select(t->pipe[0] + 1, &set, NULL, NULL, &limit);
}

static int do_futex(struct things *t)
{
	long r = syscall(SYS_futex, &t->word, FUTEX_WAIT, 0, &wait_time, NULL, 0);

	return r && errno == ETIMEDOUT ? 0 : (int)r;
}

static int do_msgrcv(struct things *t)
{
	struct {
		long type;
		char text[8];
	} message;
	ssize_t r = msgrcv(t->queue, &message, sizeof(message.text), 0, 0);

	return r < 0 ? -1 : 0;
}

static int do_read(struct things *t)
{
	char byte;

	return read(t->pipe[0], &byte, 1) == 1 ? 0 : -1;
}

static int do_epoll_wait(struct things *t)
{
	struct epoll_event event;

	return epoll_wait(t->epoll, &event, 1, -1) == 1 ? do_read(t) : -1;
}

static int do_semop(struct things *t)
{
	return semop(t->semaphore, &(struct sembuf){0, -1, 0}, 1);
}

static int do_sigwaitinfo(struct things *t)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, t->signal);
	return sigwaitinfo(&set, NULL) == t->signal ? 0 : -1;
}

static int timed_epoll_wait(struct things *t)
{
	struct epoll_event event;

	return epoll_wait(t->epoll, &event, 1, WAIT_MS);
}

/* Return whether the time limit is over, as expected. */
static int timed_out(long r)
{
	return r < 0 && errno == EAGAIN ? 0 : -1;
}

static int timed_recv(struct things *t)
{
	char byte;

	return timed_out(recv(t->pair[0], &byte, 1, 0));
}

static int timed_accept(struct things *t)
{
	return timed_out(accept(t->listener, NULL, NULL));
}

static int timed_semtimedop(struct things *t)
{
	return timed_out(semtimedop(t->semaphore, &(struct sembuf){0, -1, 0}, 1, &wait_time));
}

static int timed_sigtimedwait(struct things *t)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, t->signal);
	return timed_out(sigtimedwait(&set, NULL, &wait_time));
}

static void wake_pipe(struct things *t)
{
	if (write(t->pipe[1], "x", 1) != 1)
		abort();
}

static void wake_queue(struct things *t)
{
	msgsnd(t->queue, &(struct { long type; char text[8]; }){1, "x"}, 8, 0);
}

static void wake_semaphore(struct things *t)
{
	semop(t->semaphore, &(struct sembuf){0, 1, 0}, 1);
}

static void wake_signal(struct things *t)
{
	pthread_kill(t->thread, t->signal);
}

/* A call without `wake` has a time limit. */
static struct call {
	const char *name;
	int (*run)(struct things *t);
	void (*wake)(struct things *t);
	long done, eintr, other, early;
	struct things things;
} calls[] = {
	{.name = "nanosleep", .run = do_nanosleep},
	{.name = "clock_nanosleep", .run = do_clock_nanosleep},
	{.name = "poll", .run = do_poll},
	{.name = "ppoll", .run = do_ppoll},
	{.name = "select", .run = do_select},
	{.name = "futex", .run = do_futex},
	{.name = "msgrcv", .run = do_msgrcv, .wake = wake_queue},
	{.name = "read", .run = do_read, .wake = wake_pipe},
	{.name = "epoll_wait", .run = do_epoll_wait, .wake = wake_pipe},
	{.name = "semop", .run = do_semop, .wake = wake_semaphore},
	{.name = "sigwaitinfo", .run = do_sigwaitinfo, .wake = wake_signal},
	{.name = "timed epoll_wait", .run = timed_epoll_wait},
	{.name = "timed recv", .run = timed_recv},
	{.name = "timed accept", .run = timed_accept},
	{.name = "timed semtimedop", .run = timed_semtimedop},
	{.name = "timed sigtimedwait", .run = timed_sigtimedwait},
};
#define N_CALLS (sizeof(calls) / sizeof(calls[0]))

static void open_things(struct things *t, int number)
{
	struct timeval limit = {.tv_usec = WAIT_MS * 1000L};
	struct sockaddr_un any = {.sun_family = AF_UNIX};
	struct epoll_event event = {.events = EPOLLIN};

	t->listener = socket(AF_UNIX, SOCK_STREAM, 0);
	t->epoll = epoll_create1(0);
	t->queue = msgget(IPC_PRIVATE, 0600);
	t->semaphore = semget(IPC_PRIVATE, 1, 0600);
	t->signal = SIGRTMIN + 4 + number;
	if (pipe(t->pipe) || socketpair(AF_UNIX, SOCK_STREAM, 0, t->pair) ||
	    bind(t->listener, (struct sockaddr *)&any, sizeof(any.sun_family)) || listen(t->listener, 1) ||
	    setsockopt(t->pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) ||
	    setsockopt(t->listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) || t->queue < 0 ||
	    t->semaphore < 0 || epoll_ctl(t->epoll, EPOLL_CTL_ADD, t->pipe[0], &event))
		abort();
}

static void close_things(struct things *t)
{
	msgctl(t->queue, IPC_RMID, NULL);
	semctl(t->semaphore, 0, IPC_RMID);
}

#endif
