/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Children for the tests of target/. */
#include "child.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <dirent.h>
#include <time.h>
#include <unistd.h>

struct child_shared *child_shared;
volatile uint64_t child_marker;
_Thread_local volatile uint64_t child_tls_marker;

pid_t child_start(void (*fn)(void))
{
	child_shared = mmap(NULL, sizeof(*child_shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (child_shared == MAP_FAILED)
		abort();
	pid_t parent = getpid();
	pid_t pid = fork();
	if (pid < 0)
		abort();
	if (pid)
		return pid;
	/* A failing test must leave no process behind. A tracer that is not an ancestor may attach (Yama). */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	if (getppid() != parent)
		_exit(1);
	child_marker = 0x1122334455667788u;
	fn();
	_exit(0);
}

void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void register_thread(int i)
{
	child_shared->tids[i] = (pid_t)syscall(SYS_gettid);
	child_shared->pthreads[i] = (uint64_t)pthread_self();
	child_shared->errno_addresses[i] = (uint64_t)(uintptr_t)&errno;
	child_tls_marker = 1000 + (uint64_t)i;
	__atomic_add_fetch(&child_shared->ready, 1, __ATOMIC_SEQ_CST);
}

void child_sleeper(void)
{
	register_thread(0);
	for (;;)
		pause();
}

static void *futex_thread(void *arg)
{
	register_thread((int)(intptr_t)arg);
	for (;;)
		syscall(SYS_futex, &child_shared->futex, FUTEX_WAIT, 0, NULL, NULL, 0);
	return NULL;
}

static void *count_thread(void *arg)
{
	int i = (int)(intptr_t)arg;

	register_thread(i);
	for (;;) {
		child_shared->counters[i]++;
		/* Yield the CPU from time to time: the machine is small. */
		if (child_shared->counters[i] % 100000 == 0)
			usleep(100);
	}
	return NULL;
}

static void start_threads(int n, void *(*fn)(void *))
{
	for (int i = 1; i <= n; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, fn, (void *)(intptr_t)i))
			abort();
	}
}

void child_four_futex(void)
{
	start_threads(4, futex_thread);
	futex_thread((void *)0);
}

void child_four_counting(void)
{
	start_threads(4, count_thread);
	count_thread((void *)0);
}

static void *churn_thread(void *arg)
{
	child_shared->counters[(intptr_t)arg]++;
	return NULL;
}

static void *churn_maker(void *arg)
{
	for (;;) {
		pthread_t thread;

		if (!pthread_create(&thread, NULL, churn_thread, arg))
			pthread_join(thread, NULL);
		else
			usleep(100);
	}
	return NULL;
}

void child_churn(void)
{
	register_thread(0);
	start_threads(2, churn_maker);
	churn_maker((void *)0);
}

static void on_signal(int sig)
{
	(void)sig;
	__atomic_add_fetch(&child_shared->signals, 1, __ATOMIC_SEQ_CST);
}

void child_counting_signals(void)
{
	struct sigaction sa = {.sa_handler = on_signal};

	sigaction(SIGRTMIN, &sa, NULL);
	start_threads(2, count_thread);
	register_thread(0);
	for (;;)
		pause();
}

void child_wait_ready(int n)
{
	while (child_shared->ready < n)
		usleep(500);
}

char child_state(pid_t pid, pid_t tid)
{
	char path[64], text[512];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	FILE *f = fopen(path, "r");
	if (!f)
		return 'X';
	size_t n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	const char *close = strrchr(text, ')');
	return close && close[1] ? close[2] : 'X';
}

bool child_any_stopped(pid_t pid)
{
	char path[64];
	bool stopped = false;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *dir = opendir(path);
	struct dirent *entry;
	while (dir && (entry = readdir(dir))) {
		char state = entry->d_name[0] == '.' ? 'S' : child_state(pid, (pid_t)strtol(entry->d_name, NULL, 10));

		stopped |= state == 't' || state == 'T';
	}
	if (dir)
		closedir(dir);
	return stopped;
}

bool child_wait_state(pid_t pid, char state)
{
	return child_wait_thread_state(pid, pid, state);
}

bool child_wait_thread_state(pid_t pid, pid_t tid, char state)
{
	for (int i = 0; i < 300000; i++) {
		if (child_state(pid, tid) == state)
			return true;
		usleep(1000);
	}
	return false;
}

uint64_t child_count(void)
{
	uint64_t sum = 0;

	for (int i = 0; i <= CHILD_MAX_THREADS; i++)
		sum += child_shared->counters[i];
	return sum;
}

bool child_progresses(void)
{
	uint64_t before = child_count();

	for (int i = 0; i < 300000; i++) {
		if (child_count() != before)
			return true;
		usleep(1000);
	}
	return false;
}
