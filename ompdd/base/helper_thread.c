/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A mailbox for one call, and the thread that executes it. */
#include "base/helper_thread.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define STACK_SIZE (256u << 10)
/* The longest wait for a busy thread at its end. */
#define LEAVE_MS     100
#define ASK_AGAIN_US 1000000

enum mail { MAIL_STARTING, MAIL_EMPTY, MAIL_CALL, MAIL_END };

struct helper_thread {
	pthread_t thread;
	pid_t tid;
	const char *name; /* a literal */
	int signo;
	_Atomic unsigned mail; /* an enum mail, and the futex */
	void (*fn)(void *arg);
	void *arg;
};

/* Sleep while the mailbox is in @state; a signal ends the sleep. */
static void await_change(struct helper_thread *a, unsigned state, const struct timespec *limit)
{
	syscall(SYS_futex, &a->mail, FUTEX_WAIT_PRIVATE, state, limit, NULL, 0);
}

static void set_mail(struct helper_thread *a, unsigned state)
{
	atomic_store(&a->mail, state);
	syscall(SYS_futex, &a->mail, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static pid_t expected;

void helper_thread_expect_tracer(pid_t pid)
{
	expected = pid;
}

/*
 * Return whether this process is traced (strace, a debugger); checked now and then. A tracer traces the first thread
 * too, so read that one's file. Reading this thread's own file would create entries below /proc/PID/task. At the
 * thread's end the kernel removes these while the process that waits for us removes them too: both spin until the
 * thread gets a processor.
 */
static bool is_traced(void)
{
	static _Thread_local int64_t asked_us;
	static _Thread_local bool traced;
	char text[2048];

	if (asked_us && clock_now_us() - asked_us < ASK_AGAIN_US)
		return traced;
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	const char *line = strstr(text, "\nTracerPid:");
	pid_t by = line ? (pid_t)strtol(line + strlen("\nTracerPid:"), NULL, 10) : 0;
	traced = by > 0 && by != expected;
	asked_us = clock_now_us();
	return traced;
}

void helper_thread_hurry(bool hurry)
{
	/*
	 * When we are traced (strace), each system call waits for the tracer. A higher priority of this thread would
	 * only delay that.
	 */
	if (hurry && is_traced())
		return;
	struct sched_param first = {.sched_priority = sched_get_priority_min(SCHED_FIFO)}, normal = {0};

	/* Without permission the priority stays. */
	sched_setscheduler(0, hurry ? SCHED_FIFO : SCHED_OTHER, hurry ? &first : &normal);
}

static void *run(void *arg)
{
	struct helper_thread *a = arg;
	sigset_t set;
	unsigned state;

	prctl(PR_SET_NAME, a->name);
	a->tid = (pid_t)syscall(SYS_gettid);
	sigemptyset(&set);
	if (a->signo)
		sigaddset(&set, a->signo);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	helper_thread_hurry(false);
	set_mail(a, MAIL_EMPTY);
	while ((state = atomic_load(&a->mail)) != MAIL_END) {
		if (state == MAIL_CALL) {
			a->fn(a->arg);
			set_mail(a, MAIL_EMPTY);
		} else {
			await_change(a, state, NULL);
		}
	}
	return NULL;
}

void helper_thread_await(struct helper_thread *a)
{
	unsigned state;

	while ((state = atomic_load(&a->mail)) != MAIL_EMPTY)
		await_change(a, state, NULL);
}

bool helper_thread_await_for(struct helper_thread *a, unsigned ms)
{
	int64_t end = clock_now_us() + (int64_t)ms * 1000;
	unsigned state;

	while ((state = atomic_load(&a->mail)) != MAIL_EMPTY) {
		int64_t left_us = end - clock_now_us();
		struct timespec limit = {left_us / 1000000, left_us % 1000000 * 1000};

		if (left_us <= 0)
			return false;
		await_change(a, state, &limit);
	}
	return true;
}

struct error *helper_thread_create(const char *name, int signo, struct helper_thread **ret)
{
	struct helper_thread *a = calloc(1, sizeof(*a));
	pthread_attr_t attr;
	sigset_t all, before;

	if (!a)
		return &error_nomem;
	a->name = name;
	a->signo = signo;
	/* Use one heap for all threads: a second one would take 128 MB of address space. */
	mallopt(M_ARENA_MAX, 1);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int errnum = pthread_create(&a->thread, &attr, run, a);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	if (errnum) {
		free(a);
		return error_create_errno(errnum, "start a thread");
	}
	helper_thread_await(a);
	*ret = a;
	return NULL;
}

void helper_thread_destroy(struct helper_thread *a)
{
	if (!a)
		return;
	if (!helper_thread_await_for(a, LEAVE_MS)) {
		pthread_detach(a->thread);
		return;
	}
	set_mail(a, MAIL_END);
	pthread_join(a->thread, NULL);
	free(a);
}

void helper_thread_begin(struct helper_thread *a, void (*fn)(void *arg), void *arg)
{
	helper_thread_await(a);
	a->fn = fn;
	a->arg = arg;
	set_mail(a, MAIL_CALL);
}

void helper_thread_run(struct helper_thread *a, void (*fn)(void *arg), void *arg)
{
	helper_thread_begin(a, fn, arg);
	helper_thread_await(a);
}

pid_t helper_thread_tid(const struct helper_thread *a)
{
	return a->tid;
}
