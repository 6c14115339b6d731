/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * states MODE: threads in waits that waits.c and tasks.c do not have, and tasks that print the places of their frames.
 * Modes: detach, taskloop, depend_if0, doacross, ordered_over, serial_lock, cancellable, static_loop, nested_end, old_nestlock, reduction,
 * target_end, target, teams, target_teams, target_inside; frames, ended. With leagues, "league" is omp_get_team_num() and omp_get_num_teams().
 * Lines as in waits.c. In mode frames each one has "user", innermost first: the kind of a task, the canonical address of its
 * outermost frame of user code, and the address of a variable in that frame.
 */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "oracle.h"

#define STATES(...) "\"states\":[" __VA_ARGS__ "]"
#define WORK	    STATES("\"ompt_state_work_parallel\"")

static int entered;

static void hold(void)
{
	oracle_say(BY_PAUSE, "%s,\"league\":[%d,%d]", WORK, omp_get_team_num(), omp_get_num_teams());
	__atomic_store_n(&entered, 1, __ATOMIC_RELEASE);
	park();
}

static void announce(const char *states)
{
	park_await(&entered, 1);
	oracle_say(BY_FUTEX, "%s", states);
}

/* A task whose event is never fulfilled. */
static void detach(void)
{
	omp_event_handle_t event;

	(void)event;

	park_begin(2);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0)
			hold();
#pragma omp task detach(event)
		__asm__ volatile("");
		announce(STATES("\"ompt_state_wait_taskwait\""));
#pragma omp taskwait
	}
}

/* The encountering thread waits for the chunk that the other thread executes. */
static void taskloop(void)
{
	park_begin(2);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
#pragma omp taskloop num_tasks(2)
		for (int i = 0; i < 2; i++) {
			static int n;
			int me = omp_get_thread_num();

			if (me) {
				hold();
			} else if (__atomic_add_fetch(&n, 1, __ATOMIC_ACQ_REL)) {
				park_await(&entered, 1);
				oracle_say(BY_FUTEX, "%s", STATES("\"ompt_state_wait_taskgroup\""));
			}
		}
	}
}

/* An undeferred task that must wait for a task of the other thread. */
static void depend_if0(void)
{
	int x = 0;

	park_begin(2);
#pragma omp parallel num_threads(2) shared(x)
	if (omp_get_thread_num() == 0) {
#pragma omp task depend(out : x)
		hold();
		announce(STATES("\"ompt_state_wait_taskwait\""));
#pragma omp task if (0) depend(in : x)
		x++;
	}
}

static void doacross(void)
{
	park_begin(2);
#pragma omp parallel num_threads(2)
	{
#pragma omp for ordered(1) schedule(static, 1)
		for (int i = 0; i < 2; i++) {
			if (i == 0)
				hold();
			announce(STATES("\"ompt_state_wait_ordered\""));
#pragma omp ordered depend(sink : i - 1)
			__asm__ volatile("");
#pragma omp ordered depend(source)
		}
	}
}

/* Threads 1 and 2, and then 0, have slept in an ordered region, and left it. */
static void ordered_over(void)
{
	static int tids[3];

	park_begin(3);
#pragma omp parallel num_threads(3)
	{
		int me = omp_get_thread_num();

		__atomic_store_n(&tids[me], park_tid(), __ATOMIC_RELEASE);
#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < 6; i++) {
#pragma omp ordered
			if (i < 3) {
				park_await(&tids[(i + 1) % 3], 1);
				park_await_syscall(tids[(i + 1) % 3], SYS_futex);
			}
		}
		hold();
	}
}

static omp_lock_t serial;

static void *take_serial(void *arg)
{
	(void)arg;
#pragma omp parallel num_threads(1)
	__asm__ volatile("");
	announce(STATES("\"ompt_state_wait_lock\""));
	omp_set_lock(&serial);
	return NULL;
}

/* A thread of the program's own waits for a lock outside of all regions. */
static void serial_lock(void)
{
	pthread_t thread;

	omp_init_lock(&serial);
	omp_set_lock(&serial);
	park_begin(2);
	if (pthread_create(&thread, NULL, take_serial, NULL) == 0) {
		oracle_say(BY_PAUSE, "%s", STATES("\"ompt_state_work_serial\""));
		__atomic_store_n(&entered, 1, __ATOMIC_RELEASE);
		park();
	}
}

/* A barrier that a cancellation could end. */
static void cancellable(void)
{
	park_begin(2);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			hold();
#pragma omp cancel parallel
		}
		announce(STATES("\"ompt_state_wait_barrier\""));
#pragma omp barrier
	}
}

static void static_loop(void)
{
	park_begin(2);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num())
			announce(STATES("\"ompt_state_wait_barrier\""));
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 2; i++)
			if (i == 0)
				hold();
		__asm__ volatile(""); /* otherwise the loop would have no barrier of its own */
	}
}

/* Both threads of an inner team are at its end: one of them is the encountering thread. */
static void nested_end(void)
{
	park_begin(4);
#pragma omp parallel num_threads(2)
	{
		int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
		{
			if (outer != omp_get_thread_num())
				hold();
			announce(STATES("\"ompt_state_wait_barrier_implicit_parallel\""));
		}
	}
}

/* The nestable locks of programs by gcc before 4.4. */
__asm__(".symver old_init_nest_lock, omp_init_nest_lock@OMP_1.0");
__asm__(".symver old_set_nest_lock, omp_set_nest_lock@OMP_1.0");
extern void old_init_nest_lock(void *lock);
extern void old_set_nest_lock(void *lock);

static void old_nestlock(void)
{
	static struct {
		int owner, count;
	} lock;

	old_init_nest_lock(&lock);
	park_begin(2);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num())
			announce(STATES("\"ompt_state_wait_lock\""));
		old_set_nest_lock(&lock);
		hold();
	}
}

/* The barrier of a loop whose reduction keeps a part per thread in the runtime. */
static void task_reduction(void)
{
	int sum = 0;

	park_begin(2);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num())
			announce(STATES("\"ompt_state_wait_barrier_implicit_workshare\""));
#pragma omp for reduction(task, + : sum) schedule(static, 1)
		for (int i = 0; i < 2; i++) {
			if (i == 0)
				hold();
			sum++;
		}
	}
	if (sum != 2)
		abort();
}

/* The end of a target region with a task whose event is never fulfilled. */
static void target_end(void)
{
	park_begin(1);
#pragma omp target
	{
		omp_event_handle_t event;

		(void)event;
#pragma omp task detach(event)
		__asm__ volatile("");
		oracle_say(BY_FUTEX, "%s", STATES("\"ompt_state_wait_barrier_implicit\""));
	}
}

/* Regions that the host executes in place of another device, and for a league. */
static void target_region(void)
{
	park_begin(2);
#pragma omp target
#pragma omp parallel num_threads(2)
	hold();
}

static void teams_region(void)
{
	park_begin(2);
#pragma omp teams num_teams(2) thread_limit(2)
#pragma omp parallel num_threads(2)
	if (omp_get_team_num() == 1)
		hold();
}

static void target_teams_region(void)
{
	park_begin(2);
#pragma omp target teams num_teams(3) thread_limit(2)
#pragma omp parallel num_threads(2)
	if (omp_get_team_num() == 1)
		hold();
}

/* One thread of a region executes it; the other threads stay in the region. */
static void target_inside(void)
{
	park_begin(4);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() != 1)
			hold();
#pragma omp target
		{
#pragma omp parallel num_threads(2)
			hold();
			__asm__ volatile(""); /* code after the region: the function stays on the stack */
		}
		__asm__ volatile("");
	}
}

struct user {
	const char *kind;
	void *cfa, *local;
	const struct user *outer;
};

static __attribute__((noinline)) void say_frames(const struct user *innermost)
{
	char text[1024];
	size_t len = 0;

	for (const struct user *u = innermost; u; u = u->outer)
		len += snprintf(text + len, sizeof(text) - len, "%s{\"kind\":\"%s\",\"cfa\":\"%p\",\"local\":\"%p\"}",
				u == innermost ? "" : ",", u->kind, u->cfa, u->local);
	oracle_say(BY_PAUSE, "\"user\":[%s]", text);
	__atomic_add_fetch(&entered, 1, __ATOMIC_RELEASE);
	park();
}

#define USER(name, its_kind, its_outer)                                                                           \
	struct user name = {its_kind, __builtin_dwarf_cfa(), NULL, its_outer};                                    \
	name.local = &name

/* Nested regions. One thread of each inner team is in an undeferred task, the other in a deferred child of it. */
static void frames(const struct user *initial)
{
	park_begin(4);
#pragma omp parallel num_threads(2)
	{
		USER(outer, "implicit", initial);
#pragma omp parallel num_threads(2)
		{
			USER(inner, "implicit", &outer);
			if (omp_get_thread_num() == 0) {
#pragma omp task if (0)
				{
					USER(undeferred, "explicit", &inner);
#pragma omp task
					{
						USER(deferred, "explicit", &undeferred);
						say_frames(&deferred);
					}
					/* Each inner team has two threads, and one deferred task for the other. */
					park_await(&entered, 2);
					say_frames(&undeferred);
				}
			}
		}
	}
}

/* The task that generated the running one has ended; so has its generating task. */
static void ended(void)
{
	park_begin(2);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
#pragma omp task if (0)
		{
#pragma omp task if (0)
			{
#pragma omp task
				{
					park_await(&entered, 1);
					oracle_say(BY_PAUSE, "%s",
						   WORK ",\"chain\":[\"explicit\",\"explicit\",\"explicit\",\"implicit\",\"initial\"]");
					park();
				}
			}
		}
		__atomic_store_n(&entered, 1, __ATOMIC_RELEASE);
		oracle_say(BY_PAUSE, "%s", WORK ",\"chain\":[\"implicit\",\"initial\"]");
		park();
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = {
		{"detach", detach}, {"taskloop", taskloop}, {"depend_if0", depend_if0}, {"doacross", doacross},
		{"ordered_over", ordered_over}, {"serial_lock", serial_lock}, {"cancellable", cancellable}, {"static_loop", static_loop}, {"nested_end", nested_end},
		{"old_nestlock", old_nestlock}, {"reduction", task_reduction}, {"target_end", target_end},
		{"target", target_region}, {"teams", teams_region}, {"target_teams", target_teams_region},
		{"target_inside", target_inside}, {"ended", ended},
	};
	const char *mode = argc > 1 ? argv[1] : "";

	omp_set_max_active_levels(2);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(mode, modes[i].name) == 0)
			modes[i].run();
	if (strcmp(mode, "frames") == 0) {
		USER(initial, "initial", NULL);
		frames(&initial);
	}
}
