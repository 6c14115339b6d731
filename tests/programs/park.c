/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Printing lines and stopping; linked into every test program, also those without OpenMP. */
#include "park.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t speaking = PTHREAD_MUTEX_INITIALIZER;

void park_say(const char *format, ...)
{
	char line[16384];
	va_list ap;

	va_start(ap, format);
	int len = vsnprintf(line, sizeof(line) - 1, format, ap);
	va_end(ap);
	if (len < 0 || (size_t)len >= sizeof(line) - 1)
		abort();
	line[len++] = '\n';
	pthread_mutex_lock(&speaking);
	for (int done = 0; done < len;) {
		ssize_t n = write(STDOUT_FILENO, line + done, len - done);
		if (n < 0)
			_exit(1); /* the reader has gone */
		done += n;
	}
	pthread_mutex_unlock(&speaking);
}

void park_begin(int lines)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	/* The default action of SIGIO is to terminate; not every kind of file can send it. */
	if (fcntl(STDIN_FILENO, F_SETOWN, getpid()) == 0)
		fcntl(STDIN_FILENO, F_SETFL, O_ASYNC);
	if (poll(&in, 1, 0) == 1 && (in.revents & POLLHUP))
		_exit(1);
	park_say("{\"pid\":%d,\"lines\":%d}", getpid(), lines);
}

void park(void)
{
	for (;;)
		pause();
}

int park_tid(void)
{
	return (int)syscall(SYS_gettid);
}

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

void park_await(const int *flag, int value)
{
	while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) < value)
		nap();
}

void park_await_syscall(int tid, long nr)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	for (;;) {
		char text[64] = "";
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		if (fd >= 0) {
			ssize_t n = read(fd, text, sizeof(text) - 1);
			close(fd);
			if (n > 0 && strncmp(text, "running", 7) != 0 && strtol(text, NULL, 10) == nr)
				return;
		}
		nap();
	}
}
