/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The program that the kit examines. Of a team of three threads, thread 0 starts a nested team of
 * two, thread 1 executes an explicit task, and thread 2 waits at a barrier. At least two threads
 * are idle, and one thread is not an OpenMP thread. It prints a line when all are in place. It
 * contains a tool, so a runtime with OMPT has data for ompd_get_tool_data().
 */
#include <omp.h>
#include <omp-tools.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define PLACES 5

static int arrived;

/* Announce one more thread in its place. The last one prints the line. */
static void arrive(void)
{
	if (__atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL) == PLACES) {
		printf("ready\n");
		fflush(stdout);
	}
}

static void stay(void)
{
	arrive();
	for (;;)
		pause();
}

static int start_tool(ompt_function_lookup_t lookup, int initial_device_num, ompt_data_t *tool_data)
{
	(void)lookup;
	(void)initial_device_num;
	tool_data->value = 1;
	return 1; /* the tool stays active */
}

static void end_tool(ompt_data_t *tool_data)
{
	tool_data->value = 0;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version)
{
	static ompt_start_tool_result_t tool = {start_tool, end_tool, ompt_data_none};

	(void)omp_version;
	(void)runtime_version;
	return &tool;
}

static void *run_foreign(void *unused)
{
	stay();
	return unused;
}

/* A team of its own, and thus no OpenMP region in the caller. */
static void open_nested(void)
{
#pragma omp parallel num_threads(2)
	stay();
}

int main(void)
{
	pthread_t foreign;
	int n = 0;

	if (pthread_create(&foreign, NULL, run_foreign, NULL) != 0)
		return 1;
	omp_set_dynamic(0);
	omp_set_max_active_levels(4);
	/* Threads that this team has more than the next ones stay idle. */
#pragma omp parallel num_threads(8)
	__atomic_add_fetch(&n, 1, __ATOMIC_RELAXED);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0)
			open_nested();
		if (omp_get_thread_num() == 1) {
#pragma omp task if (0)
			stay();
		}
		arrive();
#pragma omp barrier
	}
	return n == 0;
}
