/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * tasks MODE: explicit tasks that run, wait or are waited for. Each thread's line has in "chain" the kinds of its
 * current task and of that task's generating tasks, innermost first.
 * Modes: running, taskwait, taskgroup, depend, nested, queued, waiting, graph, many, taskloop, undeferred, final, barrier, serial.
 * queued, waiting: the generating thread's line has the number of its children that have not started. waiting:
 * "predecessors" is the number of tasks that each of these waits for, by function in the order of the constructs.
 */
#include <omp.h>
#include <string.h>
#include <sys/syscall.h>

#include "oracle.h"

#define IMPLICIT	  "\"chain\":[\"implicit\",\"initial\"]"
#define EXPLICIT	  "\"chain\":[\"explicit\",\"implicit\",\"initial\"]"
#define EXPLICIT_EXPLICIT "\"chain\":[\"explicit\",\"explicit\",\"implicit\",\"initial\"]"

static int started;

static void say_and_park(const char *extra)
{
	oracle_say(BY_PAUSE, "%s", extra);
	__atomic_add_fetch(&started, 1, __ATOMIC_RELEASE);
	park();
}

/* Both threads generate one task each and run one task each: four tasks, two of them suspended or not started. */
static void running(void)
{
	park_begin(2);
#pragma omp parallel num_threads(2)
	{
#pragma omp task
		say_and_park(EXPLICIT);
#pragma omp taskwait
	}
}

/*
 * Thread 0 generates a child that thread 1 takes at its barrier; thread 0 then waits for the
 * child by the construct of the mode. Thread 1 must have started the child before thread 0 waits.
 */
static void wait_for_child(const char *mode)
{
	int x = 0;

	park_begin(2);
#pragma omp parallel num_threads(2) shared(x)
	if (omp_get_thread_num() == 0) {
		if (strcmp(mode, "taskgroup") == 0) {
#pragma omp taskgroup
			{
#pragma omp task
				say_and_park(EXPLICIT);
				park_await(&started, 1);
				oracle_say(BY_FUTEX, "%s", IMPLICIT ",\"states\":[\"ompt_state_wait_taskgroup\"]");
			}
		} else if (strcmp(mode, "depend") == 0) {
#pragma omp task depend(out : x)
			{
				x++;
				say_and_park(EXPLICIT);
			}
			park_await(&started, 1);
			oracle_say(BY_FUTEX, "%s", IMPLICIT ",\"states\":[\"ompt_state_wait_taskwait\"]");
#pragma omp taskwait depend(in : x)
		} else {
#pragma omp task
			say_and_park(EXPLICIT);
			park_await(&started, 1);
			oracle_say(BY_FUTEX, "%s", IMPLICIT ",\"states\":[\"ompt_state_wait_taskwait\"]");
#pragma omp taskwait
		}
	}
}

/* Five explicit tasks, each the child of the previous one. Each is undeferred, so thread 0 is inside all of them. */
static void nest(int depth)
{
	if (depth == 5) {
		say_and_park("\"chain\":[\"explicit\",\"explicit\",\"explicit\",\"explicit\",\"explicit\","
			     "\"implicit\",\"initial\"]");
	}
#pragma omp task if (0) firstprivate(depth)
	nest(depth + 1);
}

static void nested(void)
{
	park_begin(2);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1)
			say_and_park(IMPLICIT);
		nest(0);
	}
}

/*
 * A task and its child. Each thread runs one of them at the barrier that ends the region.
 * A taskwait does not work: libgomp runs only the waiting task's own children there.
 */
static void deferred_chain(void)
{
	park_begin(2);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
#pragma omp task
		{
#pragma omp task
			say_and_park(EXPLICIT_EXPLICIT);
			park_await(&started, 1); /* the other thread has it: both stay in explicit tasks */
			say_and_park(EXPLICIT);
		}
	}
}

/* A thread that only generates: twenty tasks in the queue, none of them started. */
static void queued(void)
{
	park_begin(2);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			for (int i = 0; i < 20; i++) {
#pragma omp task
				park();
			}
		}
		say_and_park(omp_get_thread_num() == 0 ? IMPLICIT ",\"children\":20" : IMPLICIT);
	}
}

/*
 * Tasks with priorities and dependences. The other thread executes one: a chain of three waits for it, one waits for
 * two of these, and ten of a high priority are ready. Of the two without dependences, one is a child of another task.
 */
static void waiting(void)
{
	static int x, y, z;

	park_begin(2);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
#pragma omp task depend(out : x) priority(100)
		say_and_park(EXPLICIT);
		park_await(&started, 1);
#pragma omp task depend(inout : x)
		__atomic_add_fetch(&x, 1, __ATOMIC_RELAXED);
#pragma omp task depend(inout : x) depend(out : y)
		__atomic_add_fetch(&y, 1, __ATOMIC_RELAXED);
#pragma omp task depend(inout : x)
		__atomic_add_fetch(&x, 2, __ATOMIC_RELAXED);
#pragma omp task depend(in : x, y)
		__atomic_add_fetch(&z, 1, __ATOMIC_RELAXED);
#pragma omp task if (0)
		{
			for (int i = 0; i < 10; i++) {
#pragma omp task priority(i)
				__atomic_add_fetch(&z, 2, __ATOMIC_RELAXED);
			}
			say_and_park(EXPLICIT ",\"children\":10,\"siblings\":4,\"predecessors\":[1,1,1,2]");
		}
	}
}

/* A thread in taskwait: the other thread executes a child, two children wait for it, and one waits for these two. */
static void graph(void)
{
	static int x, y, z;

	park_begin(2);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
#pragma omp task depend(out : x)
		say_and_park(EXPLICIT);
		park_await(&started, 1);
#pragma omp task depend(in : x) depend(out : y)
		__atomic_add_fetch(&y, 1, __ATOMIC_RELAXED);
#pragma omp task depend(in : x) depend(out : z)
		__atomic_add_fetch(&z, 1, __ATOMIC_RELAXED);
#pragma omp task depend(in : y, z)
		__atomic_add_fetch(&x, 1, __ATOMIC_RELAXED);
		oracle_say(BY_FUTEX, "%s", IMPLICIT ",\"states\":[\"ompt_state_wait_taskwait\"]");
#pragma omp taskwait
	}
}

/* Three thousand tasks that wait for one. */
static void many(void)
{
	int x = 0;

	park_begin(2);
#pragma omp parallel num_threads(2) shared(x)
	if (omp_get_thread_num() == 0) {
#pragma omp task depend(out : x)
		{
			x++;
			say_and_park(EXPLICIT);
		}
		park_await(&started, 1);
		for (int i = 0; i < 3000; i++) {
#pragma omp task depend(in : x)
			park();
		}
		say_and_park(IMPLICIT ",\"children\":3000");
	}
}

/* Twenty tasks of a taskloop. Each of two threads executes one of them. */
static void taskloop(void)
{
	park_begin(2);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop grainsize(1)
	for (int i = 0; i < 20; i++)
		say_and_park(EXPLICIT);
}

static void undeferred(void)
{
	park_begin(2);
#pragma omp parallel num_threads(2)
	{
#pragma omp task if (0)
		say_and_park(EXPLICIT);
	}
}

/* A final task, and in thread 1 a task included in a final task. */
static void final_tasks(void)
{
	park_begin(2);
#pragma omp parallel num_threads(2)
	{
#pragma omp task final(1) if (0)
		{
			if (omp_get_thread_num() == 0)
				say_and_park(EXPLICIT);
#pragma omp task
			say_and_park(EXPLICIT_EXPLICIT);
		}
	}
}

/* Explicit tasks executed at a barrier: the thread's implicit task waits there. */
static void at_barrier(void)
{
	park_begin(3);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp task
			say_and_park(EXPLICIT);
#pragma omp task
			say_and_park(EXPLICIT);
			park_await(&started, 2);
			say_and_park(IMPLICIT);
		}
#pragma omp barrier
	}
}

/* An explicit task of the initial thread outside of every parallel region. */
static void serial(void)
{
	park_begin(1);
#pragma omp task
	say_and_park("\"chain\":[\"explicit\",\"initial\"]");
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "running";

	if (strcmp(mode, "running") == 0)
		running();
	else if (strcmp(mode, "nested") == 0)
		nested();
	else if (strcmp(mode, "chain") == 0)
		deferred_chain();
	else if (strcmp(mode, "queued") == 0)
		queued();
	else if (strcmp(mode, "waiting") == 0)
		waiting();
	else if (strcmp(mode, "graph") == 0)
		graph();
	else if (strcmp(mode, "many") == 0)
		many();
	else if (strcmp(mode, "taskloop") == 0)
		taskloop();
	else if (strcmp(mode, "undeferred") == 0)
		undeferred();
	else if (strcmp(mode, "final") == 0)
		final_tasks();
	else if (strcmp(mode, "barrier") == 0)
		at_barrier();
	else if (strcmp(mode, "serial") == 0)
		serial();
	else
		wait_for_child(mode);
}
