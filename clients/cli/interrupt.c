/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A signal handler that only notes the signal. The signal interrupts the waiting system call, and its caller checks
 * the note. */
#include "interrupt.h"

#include <poll.h>

static volatile sig_atomic_t interrupted; /* the signal that came; 0: none */
static sigset_t caught, waiting_mask;
static int is_catching;

static void on_signal(int number)
{
	interrupted = number;
}

void interrupt_catch(struct connection *c)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	const struct sigaction action = {.sa_handler = on_signal};
	struct sigaction before;

	c->interrupted = &interrupted;
	if (is_catching) {
		c->waiting_mask = waiting_mask;
		return;
	}
	sigemptyset(&caught);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		/* A signal that is ignored, as under nohup, stays ignored. */
		if (sigaction(numbers[i], NULL, &before) || before.sa_handler == SIG_IGN)
			continue;
		sigaction(numbers[i], &action, NULL);
		sigaddset(&caught, numbers[i]);
	}
	sigprocmask(SIG_BLOCK, &caught, &waiting_mask);
	c->waiting_mask = waiting_mask;
	is_catching = 1;
}

int interrupt_came(void)
{
	return interrupted != 0;
}

int interrupt_wait(const struct connection *c, int64_t ms)
{
	struct timespec limit = {ms / 1000, ms % 1000 * 1000000};

	if (ms > 0 && !interrupted)
		ppoll(NULL, 0, &limit, &c->waiting_mask);
	return interrupt_came();
}

void interrupt_unblock(const struct connection *c)
{
	sigprocmask(SIG_SETMASK, &c->waiting_mask, NULL);
}

void interrupt_forget(struct connection *c)
{
	interrupted = 0;
	interrupt_release(c);
}

void interrupt_release(struct connection *c)
{
	c->interrupted = NULL;
	if (!is_catching)
		return;
	is_catching = 0;
	for (int number = 1; number < NSIG; number++) {
		if (sigismember(&caught, number) == 1)
			signal(number, SIG_DFL);
	}
	if (interrupted)
		raise(interrupted);
	sigprocmask(SIG_SETMASK, &waiting_mask, NULL);
}
