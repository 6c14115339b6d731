/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * watched: does what a debugger may disturb, in many threads: blocking system calls, signals, children, traps of its
 * own, a parallel region. It is ready when each of these has happened a few times. On SIGUSR1 it ends all, prints
 * the result of each call and the losses, and exits. The output must be the same with and without a debugger.
 */
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "blocking_calls.h"
#include "park.h"

#define PAUSE_US 500
#define ENOUGH	 20
/* Sockets count their time limits in ticks of the kernel, of up to 10 ms. */
#define EARLY_NS 10000000L

static volatile bool ends;
static volatile sig_atomic_t asked;

static void on_ask(int sig)
{
	(void)sig;
	asked = 1;
}

static void block_all_but(int sig)
{
	sigset_t set;

	sigfillset(&set);
	if (sig)
		sigdelset(&set, sig);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
}

/* System calls */

static void *call_all_the_time(void *arg)
{
	struct call *c = arg;

	block_all_but(SIGTRAP);
	while (!ends) {
		int64_t began = now_ns();
		int r = c->run(&c->things);

		if (r && errno == EINTR)
			c->eintr++;
		else if (r)
			c->other++;
		else
			c->done++;
		c->early += !r && !c->wake && now_ns() - began < WAIT_NS - EARLY_NS;
	}
	return NULL;
}

static void *wake_all_the_time(void *arg)
{
	(void)arg;
	block_all_but(0);
	while (!ends) {
		for (size_t i = 0; i < N_CALLS; i++) {
			if (calls[i].wake)
				calls[i].wake(&calls[i].things);
		}
		nanosleep(&wait_time, NULL);
	}
	return NULL;
}

/* A pipe: nothing is lost, doubled or exchanged */

static int numbers[2];
static long written, read_back, out_of_order;

static void *produce(void *arg)
{
	(void)arg;
	block_all_but(0);
	for (unsigned i = 0; !ends; i++) {
		written += write(numbers[1], &i, sizeof(i)) == sizeof(i);
		if (i % 64 == 0)
			usleep(PAUSE_US);
	}
	close(numbers[1]);
	return NULL;
}

static void *consume(void *arg)
{
	unsigned value, next = 0;

	(void)arg;
	block_all_but(0);
	while (read(numbers[0], &value, sizeof(value)) == sizeof(value)) {
		out_of_order += value != next;
		next = value + 1;
		read_back++;
	}
	return NULL;
}

/* Signals: queued ones arrive once and in their order; traps of the program's own arrive */

#define QUEUED (SIGRTMIN + 3)
static long sent, received, exchanged, made, trapped;

static void on_queued(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	exchanged += info->si_value.sival_int != received;
	received++;
}

static void on_trap(int sig)
{
	(void)sig;
	trapped++;
}

static void *send_signals(void *arg)
{
	(void)arg;
	block_all_but(0);
	while (!ends) {
		while (sigqueue(getpid(), QUEUED, (union sigval){(int)sent}))
			usleep(PAUSE_US);
		sent++;
		usleep(PAUSE_US);
	}
	return NULL;
}

static void *make_traps(void *arg)
{
	(void)arg;
	block_all_but(SIGTRAP);
	while (!ends) {
		raise(SIGTRAP);
		made++;
#if defined(__x86_64__)
		__asm__ volatile("int3");
		made++;
#endif
		usleep(4 * PAUSE_US);
	}
	return NULL;
}

/* Children: each exits as requested */

static long children, wrong_ends;

static void *make_children(void *arg)
{
	(void)arg;
	block_all_but(0);
	while (!ends) {
		int status, code = (int)(children & 63);
		pid_t child = children & 1 ? vfork() : fork();

		if (child == 0)
			_exit(code);
		wrong_ends += waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != code;
		children++;
		usleep(16 * PAUSE_US);
	}
	return NULL;
}

/* OpenMP */

static long regions, wrong_sums;

__attribute__((noinline)) void leaf(long *sum);
void leaf(long *sum)
{
	++*sum;
}

static void *run_regions(void *arg)
{
	(void)arg;
	block_all_but(SIGTRAP);
	while (!ends) {
		long sum = 0, tasks = 0;

#pragma omp parallel num_threads(3) reduction(+ : sum)
		{
			leaf(&sum);
#pragma omp single
			for (int i = 0; i < 8; i++) {
#pragma omp task shared(tasks)
				{
#pragma omp atomic
					tasks++;
				}
			}
		}
		wrong_sums += sum != 3 || tasks != 8;
		regions++;
		usleep(PAUSE_US);
	}
	return NULL;
}

static bool is_enough(void)
{
	for (size_t i = 0; i < N_CALLS; i++) {
		if (calls[i].done < ENOUGH)
			return false;
	}
	return read_back >= ENOUGH && received >= ENOUGH && trapped >= ENOUGH && children >= ENOUGH &&
	       regions >= ENOUGH;
}

static void report(void)
{
	char text[4096];
	int n = 0;

	for (size_t i = 0; i < N_CALLS; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n,
			      "%s\"%s\":{\"done\":%ld,\"eintr\":%ld,\"other\":%ld,\"early\":%ld}", i ? "," : "",
			      calls[i].name, calls[i].done, calls[i].eintr, calls[i].other, calls[i].early);
	park_say("{\"calls\":{%s},\"lost\":{\"bytes\":%ld,\"signals\":%ld,\"traps\":%ld},"
		 "\"wrong\":{\"bytes\":%ld,\"signals\":%ld,\"children\":%ld,\"sums\":%ld}}",
		 text, written - read_back, sent - received, made - trapped, out_of_order, exchanged, wrong_ends,
		 wrong_sums);
}

int main(void)
{
	static void *(*const others[])(void *) = {produce, consume, send_signals, make_traps, make_children, run_regions};
	struct sigaction queued = {.sa_sigaction = on_queued, .sa_flags = SA_SIGINFO | SA_RESTART};
	pthread_t threads[N_CALLS + sizeof(others) / sizeof(others[0])], waker;
	sigset_t own;
	size_t n = 0;

	sigaction(QUEUED, &queued, NULL);
	signal(SIGTRAP, on_trap);
	signal(SIGUSR1, on_ask);
	park_begin(1);
	if (pipe(numbers))
		abort();
	/* Threads start with all signals blocked: their first one may come before they say so. */
	pthread_sigmask(SIG_SETMASK, NULL, &own);
	block_all_but(0);
	for (size_t i = 0; i < N_CALLS; i++) {
		open_things(&calls[i].things, (int)i);
		pthread_create(&calls[i].things.thread, NULL, call_all_the_time, &calls[i]);
		threads[n++] = calls[i].things.thread;
	}
	pthread_create(&waker, NULL, wake_all_the_time, NULL);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		pthread_create(&threads[n++], NULL, others[i], NULL);
	pthread_sigmask(SIG_SETMASK, &own, NULL);
	while (!is_enough())
		usleep(PAUSE_US);
	park_say("{\"tid\":%d,\"by\":\"run\"}", park_tid());
	while (!asked)
		usleep(PAUSE_US);
	ends = true;
	pthread_join(waker, NULL);
	/* The last calls wait for one more. */
	for (size_t i = 0; i < N_CALLS; i++) {
		if (calls[i].wake)
			calls[i].wake(&calls[i].things);
	}
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < N_CALLS; i++)
		close_things(&calls[i].things);
	while (received < sent)
		usleep(PAUSE_US);
	report();
	return 0;
}
