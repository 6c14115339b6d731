/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Compares the processor time of this process with the limit of the current work. Does not use RLIMIT_CPU: each request
 * would have to query the time used before it. The timer of the watch counts seconds of processor time, so it costs an
 * idle process nothing. The handler only checks whether the work is still the same.
 */
#include "base/cpu_budget.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "base/clock.h"

static int64_t budget_us; /* 0: no limit */
static int64_t end_us;	  /* 0: cpu_budget_is_spent() was not called yet */
static bool spent;

static volatile sig_atomic_t work;    /* number of the current work */
static volatile sig_atomic_t watched; /* the work at the last tick */
static volatile sig_atomic_t ticks;   /* ticks since the start of that work */
static volatile sig_atomic_t limit;
static void (*overrun)(void);

void cpu_budget_begin(int64_t us)
{
	budget_us = us;
	end_us = 0;
	spent = false;
	work = work == SIG_ATOMIC_MAX ? 0 : work + 1;
}

bool cpu_budget_is_spent(void)
{
	if (spent || !budget_us)
		return spent;
	int64_t now_us = clock_read_us(CLOCK_PROCESS_CPUTIME_ID);
	if (!end_us)
		end_us = now_us + budget_us;
	spent = now_us >= end_us;
	return spent;
}

bool cpu_budget_was_spent(void)
{
	return spent;
}

static void on_tick(int sig)
{
	(void)sig;
	if (watched != work) {
		watched = work;
		ticks = 0;
	} else if (++ticks >= limit) {
		overrun();
	}
}

struct error *cpu_budget_watch(unsigned seconds, void (*on_overrun)(void))
{
	struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_ONSTACK | SA_RESTART};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGXCPU};
	struct itimerspec each_second = {{1, 0}, {1, 0}};
	timer_t timer;

	limit = (sig_atomic_t)seconds;
	overrun = on_overrun;
	sigemptyset(&action.sa_mask);
	if (sigaction(SIGXCPU, &action, NULL) || timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) ||
	    timer_settime(timer, 0, &each_second, NULL))
		return error_create_errno(errno, "watch the processor time");
	return NULL;
}
