/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * host_target MODE: a target region that the host executes. Threads in it park, the other threads of the team wait at
 * a barrier. Each line has "in_target" and, with it, "level" of the region around the construct.
 * Modes: serial (outside all regions); after (a region with a team has ended before); primary, member (thread 0 or 1
 * of a team of 3); task (in an explicit task); team (a team of 2 in the target region of thread 0); inner (thread 1 of
 * the team of 2 in thread 1 of a team of 2).
 */
#include <omp.h>
#include <string.h>

#include "park.h"

static int inside;

static void stay(int level)
{
	park_say("{\"tid\":%d,\"by\":\"pause\",\"in_target\":true,\"outer\":%d,\"number\":%d}", park_tid(), level,
		 omp_get_thread_num());
	__atomic_add_fetch(&inside, 1, __ATOMIC_RELEASE);
	park();
}

static void run_target(void)
{
	int level = omp_get_level();

#pragma omp target
	stay(level);
}

static void wait_for_team(int n_inside)
{
	park_await(&inside, n_inside);
	park_say("{\"tid\":%d,\"by\":\"futex\",\"in_target\":false,\"outer\":%d,\"number\":%d}", park_tid(),
		 omp_get_level(), omp_get_thread_num());
#pragma omp barrier
}

static void in_team(int number)
{
	park_begin(3);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == number)
			run_target();
		else
			wait_for_team(1);
	}
}

static void in_task(void)
{
	park_begin(2);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp task if (0)
			run_target();
		} else {
			wait_for_team(1);
		}
	}
}

static void around_team(void)
{
	park_begin(3);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp target
#pragma omp parallel num_threads(2)
			stay(1);
		} else {
			wait_for_team(2);
		}
	}
}

static void in_inner_team(void)
{
	park_begin(3);
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			wait_for_team(1);
		} else {
#pragma omp parallel num_threads(2)
			{
				if (omp_get_thread_num() == 1)
					run_target();
				else
					wait_for_team(1);
			}
		}
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "primary";

	if (strcmp(mode, "after") == 0) {
#pragma omp parallel num_threads(2)
		__atomic_load_n(&inside, __ATOMIC_RELAXED);
	}
	if (strcmp(mode, "serial") == 0 || strcmp(mode, "after") == 0) {
		park_begin(1);
		run_target();
	} else if (strcmp(mode, "task") == 0) {
		in_task();
	} else if (strcmp(mode, "team") == 0) {
		around_team();
	} else if (strcmp(mode, "inner") == 0) {
		in_inner_team();
	} else {
		in_team(strcmp(mode, "member") == 0);
	}
}
