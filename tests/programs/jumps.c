/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * jumps MODE: optimized functions that leave no frame: they end with a jump into the next one, or are inlined.
 * region, nested, if0, final, taskloop: threads park in work(), by jumps; "entered": the function that the runtime starts.
 * asleep, asleep_task: threads reach pause() by such jumps, from a region and from a task.
 * inlined: each thread is in another inlined function. barrier: one thread is in the runtime, by a jump.
 * end: rounds of a region. All but thread 1 wait at its end until SIGUSR1 releases thread 1. Prints each round's number.
 * nested_end, alone_end: the same as the last statement of an outer region of two threads and of one.
 */
#include <omp.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "oracle.h"

static volatile int go = 1;
static volatile sig_atomic_t asked;
static int entered;

static void on_signal(int sig)
{
	(void)sig;
	asked = 1;
}

/* Never a call that does not return: the compiler makes no jump of such a call. */
__attribute__((noinline)) void work(const char *entered_by);
void work(const char *entered_by)
{
	oracle_say(BY_PAUSE, "\"entered\":\"%s\"", entered_by);
	while (go)
		pause();
}

__attribute__((noinline)) void region(void);
void region(void)
{
#pragma omp parallel num_threads(2)
	work("region._omp_fn.0");
}

__attribute__((noinline)) void inner(void);
void inner(void)
{
#pragma omp parallel num_threads(2)
	work("inner._omp_fn.0");
}

__attribute__((noinline)) void nested(void);
void nested(void)
{
#pragma omp parallel num_threads(2)
	inner();
}

__attribute__((noinline)) void if0(void);
void if0(void)
{
#pragma omp parallel num_threads(1)
#pragma omp task if (0)
	work("if0._omp_fn.1");
}

__attribute__((noinline)) void final(void);
void final(void)
{
#pragma omp parallel num_threads(1)
#pragma omp task final(1)
#pragma omp task
	work("final._omp_fn.2");
}

__attribute__((noinline)) void taskloop(void);
void taskloop(void)
{
#pragma omp parallel num_threads(1)
#pragma omp taskloop if (0) num_tasks(1) nogroup
	for (int i = 0; i < 1; i++)
		work("taskloop._omp_fn.1");
}

__attribute__((noinline)) void asleep(void);
void asleep(void)
{
#pragma omp parallel num_threads(2)
	{
		oracle_say(BY_PAUSE, "\"entered\":\"asleep._omp_fn.0\"");
		pause();
	}
}

__attribute__((noinline)) void asleep_task(void);
void asleep_task(void)
{
#pragma omp parallel num_threads(2)
#pragma omp task
	{
		oracle_say(BY_PAUSE, "\"entered\":\"asleep_task._omp_fn.1\"");
		pause();
	}
}

/* All but thread 0 have reached a barrier by a jump. */
__attribute__((noinline)) void barrier(void);
void barrier(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0)
			work("barrier._omp_fn.0");
		else
			oracle_say(BY_FUTEX, "\"entered\":\"barrier._omp_fn.0\"");
#pragma omp barrier
	}
}

static inline __attribute__((always_inline)) void innermost(const char *name)
{
	oracle_say(BY_PAUSE, "\"entered\":\"%s\"", name);
	while (go)
		pause();
	__atomic_add_fetch(&entered, 1, __ATOMIC_RELAXED);
}

static inline __attribute__((always_inline)) void middle(const char *name)
{
	innermost(name);
	__atomic_add_fetch(&entered, 2, __ATOMIC_RELAXED);
}

__attribute__((noinline)) void inlined(void);
void inlined(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0)
			middle("inlined._omp_fn.0");
		else
			innermost("inlined._omp_fn.0");
		__atomic_add_fetch(&entered, 4, __ATOMIC_RELAXED);
	}
	__atomic_add_fetch(&entered, 8, __ATOMIC_RELAXED);
}

static void wait_for_signal(void)
{
	while (!asked)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

__attribute__((noinline)) void end(void);
void end(void)
{
#pragma omp parallel num_threads(3)
	if (omp_get_thread_num() == 1)
		wait_for_signal();
}

__attribute__((noinline)) void nested_end(void);
void nested_end(void)
{
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0)
		end();
}

__attribute__((noinline)) void alone_end(void);
void alone_end(void)
{
#pragma omp parallel num_threads(1)
	end();
}

static void rounds(void (*run)(void))
{
	signal(SIGUSR1, on_signal);
	park_begin(1);
	park_say("{\"tid\":%d,\"by\":\"futex\"}", park_tid());
	for (long round = 1;; round++) {
		run();
		asked = 0;
		park_say("{\"rounds\":%ld,\"failed\":0}", round);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
		int lines; /* 0: it executes rounds */
	} modes[] = {
		{"region", region, 2}, {"nested", nested, 4}, {"if0", if0, 1}, {"final", final, 1}, {"taskloop", taskloop, 1},
		{"asleep", asleep, 2}, {"asleep_task", asleep_task, 2}, {"barrier", barrier, 2}, {"inlined", inlined, 2}, {"end", end, 0}, {"nested_end", nested_end, 0},
		{"alone_end", alone_end, 0},
	};

	omp_set_max_active_levels(2);
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(argv[1], modes[i].name))
			continue;
		if (!modes[i].lines)
			rounds(modes[i].run);
		park_begin(modes[i].lines);
		modes[i].run();
		return 0;
	}
	return 2;
}
