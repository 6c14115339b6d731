/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * trapped caught|ignored|default|pending: uses SIGTRAP itself. A thread calls leaf() for ever. It blocks all signals,
 * unless SIGTRAP is ignored. "pending": its SIGTRAP must stay pending. On SIGUSR1, raises SIGTRAP and prints the result.
 */
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "park.h"

static volatile sig_atomic_t asked, caught;
static volatile long calls, wrong_masks;
static bool ignores, defaults, has_pending;

static void on_trap(int sig)
{
	(void)sig;
	caught = caught + 1;
}

static void on_ask(int sig)
{
	(void)sig;
	asked = 1;
}

__attribute__((noinline)) void leaf(void);
void leaf(void)
{
	calls = calls + 1;
}

static void *work(void *unused)
{
	sigset_t all, now, pending;

	sigfillset(&all);
	if (!ignores)
		pthread_sigmask(SIG_BLOCK, &all, NULL);
	if (has_pending)
		raise(SIGTRAP);
	for (;;) {
		leaf();
		pthread_sigmask(SIG_BLOCK, NULL, &now);
		sigpending(&pending);
		wrong_masks = wrong_masks + (sigismember(&now, SIGTRAP) == ignores ||
					     sigismember(&pending, SIGTRAP) != has_pending);
		nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
	}
	return unused;
}

static bool has_own_handler(void)
{
	struct sigaction now;

	sigaction(SIGTRAP, NULL, &now);
	return now.sa_handler == (ignores ? SIG_IGN : defaults ? SIG_DFL : on_trap) &&
	       (ignores || defaults || (now.sa_flags & SA_RESTART));
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_trap, .sa_flags = SA_RESTART};
	sigset_t none, asks;
	pthread_t thread;

	ignores = argc > 1 && !strcmp(argv[1], "ignored");
	defaults = argc > 1 && !strcmp(argv[1], "default");
	has_pending = argc > 1 && !strcmp(argv[1], "pending");
	if (ignores)
		action.sa_handler = SIG_IGN;
	if (!defaults)
		sigaction(SIGTRAP, &action, NULL);
	park_begin(2);
	sigemptyset(&asks);
	sigaddset(&asks, SIGUSR1);
	sigprocmask(SIG_BLOCK, &asks, NULL);
	sigemptyset(&none);
	signal(SIGUSR1, on_ask);
	pthread_create(&thread, NULL, work, NULL);
#pragma omp parallel num_threads(2)
	park_say("{\"tid\":%d,\"by\":\"run\"}", park_tid());
	for (;;) {
		while (!asked)
			sigsuspend(&none);
		asked = 0;
		if (!defaults)
			raise(SIGTRAP);
		park_say("{\"calls\":%ld,\"wrong_masks\":%ld,\"own_handler\":%s,\"caught\":%d}", calls, wrong_masks,
			 has_own_handler() ? "true" : "false", (int)caught);
	}
}
