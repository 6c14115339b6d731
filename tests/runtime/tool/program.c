/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program whose events a tool must see: it prints their numbers as JSON. With "stop" it ends the tool in the middle, by
 * checker_stop(). With "exit" a thread of a region ends the process. With "pthread_exit" its first thread leaves. With "fork"
 * a child does a part of it as well.
 */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void checker_stop(void) __attribute__((weak));

static int sum;

static void add(void)
{
	__atomic_add_fetch(&sum, 1, __ATOMIC_RELAXED);
}

/* 8 regions, of 4, 2 with 1 and 1 in it, 2 with 3 and 3 in it, and 1 thread: 17 implicit tasks. */
static void regions(int no)
{
#pragma omp parallel num_threads(4)
	add();
	omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(7)
	add();
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(3)
	add();
#pragma omp parallel num_threads(3) if (no)
	add();
}

/* One region of 4, 103 tasks: one of them is undeferred by its if clause, and one because it is in a final one. */
static void tasks(int no)
{
#pragma omp parallel num_threads(4)
#pragma omp single
	{
		for (int i = 0; i < 100; i++)
#pragma omp task
			add();
#pragma omp taskwait
#pragma omp task if (no)
		add();
#pragma omp task final(!no)
		{
#pragma omp task
			add();
		}
	}
}

/* One region of 4, 24 tasks, one taskwait with dependences. */
static void more_tasks(void)
{
	int a = 0, b = 0;

#pragma omp parallel num_threads(4)
#pragma omp single
	{
#pragma omp task depend(out : a)
		a = 1;
#pragma omp task depend(in : a) depend(inout : b)
		b = a;
#pragma omp task depend(in : b) if (0)
		add();
#pragma omp taskwait depend(inout : a)
#pragma omp taskgroup
		for (int i = 0; i < 3; i++) {
#pragma omp task untied
			{
#pragma omp task mergeable
				add();
#pragma omp taskyield
			}
		}
#pragma omp taskloop num_tasks(5)
		for (int i = 0; i < 20; i++)
			add();
#pragma omp taskgroup
		{
			for (int i = 0; i < 10; i++) {
#pragma omp task
				{
#pragma omp cancel taskgroup
					add();
				}
			}
		}
	}
}

/* One region of 4. */
static void locks(void)
{
	int n = 0;

#pragma omp parallel num_threads(4)
	for (int i = 0; i < 1000; i++) {
#pragma omp critical
		n++;
		if (i % 100 == 0) {
#pragma omp barrier
		}
	}
	sum += n / 1000;
}

/* No region: 3 locks, taken 12 times, and 2 errors. A failed test of a held lock reports only the request. */
static void more_locks(void)
{
	omp_lock_t lock;
	omp_nest_lock_t nest_lock, other;

	omp_init_lock(&lock);
	omp_init_nest_lock(&nest_lock);
	omp_init_nest_lock(&other);
	omp_set_lock(&lock);
	if (!omp_test_lock(&lock))
		omp_unset_lock(&lock);
	if (omp_test_lock(&lock))
		omp_unset_lock(&lock);
	omp_set_nest_lock(&nest_lock);
	omp_set_nest_lock(&nest_lock);
	omp_test_nest_lock(&nest_lock);
	for (int i = 0; i < 3; i++)
		omp_unset_nest_lock(&nest_lock);
	if (omp_test_nest_lock(&other))
		omp_unset_nest_lock(&other);
#pragma omp for ordered
	for (int i = 0; i < 8; i++)
#pragma omp ordered
		sum += i == 3;
	omp_destroy_lock(&lock);
	omp_destroy_nest_lock(&nest_lock);
	omp_destroy_nest_lock(&other);
#pragma omp error at(execution) severity(warning) message("no error")
#pragma omp error at(execution) severity(warning)
}

/* 2 regions of 4: 2 loops of 20 chunks, 3 sections; a single whose executor reports nothing, and one whose executor does. */
static void worksharing(void)
{
	int x = 0;

#pragma omp parallel for num_threads(4) schedule(dynamic, 5) reduction(+ : sum)
	for (int i = 0; i < 100; i++)
		sum += i == 50;
#pragma omp parallel num_threads(4)
	{
		int y = 0;

#pragma omp for schedule(nonmonotonic : dynamic, 5)
		for (int i = 0; i < 100; i++)
			if (i == 51)
				sum++;
#pragma omp sections
		{
			sum++;
#pragma omp section
#pragma omp atomic
			x++;
#pragma omp section
#pragma omp atomic
			x++;
		}
#pragma omp single nowait
#pragma omp atomic
		x++;
#pragma omp single copyprivate(y)
		y = 1;
#pragma omp atomic
		x += y;
	}
	sum += x == 7;
}

/* One region of 2, 2 tasks. */
static void detached(void)
{
	omp_event_handle_t early, late;
	int ran = 0;

#pragma omp parallel num_threads(2)
#pragma omp master
	{
#pragma omp task detach(early)
		omp_fulfill_event(early);
#pragma omp task detach(late) shared(ran)
		__atomic_store_n(&ran, 1, __ATOMIC_RELEASE);
		while (!__atomic_load_n(&ran, __ATOMIC_ACQUIRE)) {
#pragma omp taskyield
		}
		/* Its block is left at about this time. */
		usleep(20000);
		omp_fulfill_event(late);
#pragma omp taskwait
	}
}

/* A league of 3, a region in each; a target construct with a region in it, one with a league of 2, and three that move data. */
static void leagues(void)
{
#pragma omp teams num_teams(3)
	{
#pragma omp parallel num_threads(2)
		add();
	}
#pragma omp target
	{
#pragma omp parallel num_threads(2)
		add();
	}
#pragma omp target teams num_teams(2)
	{
#pragma omp parallel num_threads(2)
		add();
	}
#pragma omp target enter data map(to : sum)
#pragma omp target update to(sum)
#pragma omp target exit data map(from : sum)
}

static void *foreign(void *arg)
{
#pragma omp parallel num_threads(2)
	add();
	return arg;
}

/* A process of its own, with the same tool, which says nothing at its end. */
static void fork_one(int no)
{
	pid_t child = fork();
	int status = -1;

	if (child == 0) {
		unsetenv("CHECKER_OUT");
		tasks(no);
		leagues();
		exit(4);
	}
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 4)
		abort();
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int no = argc > 100;
	pthread_t thread;

	regions(no);
	tasks(no);
	if (strcmp(mode, "stop") == 0)
		checker_stop();
	if (strcmp(mode, "fork") == 0)
		fork_one(no);
	if (strcmp(mode, "exit") == 0) {
#pragma omp parallel num_threads(4)
		if (omp_get_thread_num() == 2)
			exit(3);
	}
	more_tasks();
	locks();
	more_locks();
	worksharing();
	detached();
	leagues();
	pthread_create(&thread, NULL, foreign, NULL);
	pthread_join(thread, NULL);
	printf("%d\n", sum);
	fflush(stdout);
	if (strcmp(mode, "pthread_exit") == 0)
		pthread_exit(NULL);
	return 0;
}
