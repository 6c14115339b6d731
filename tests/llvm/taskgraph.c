/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * taskgraph [replay]: both threads of a region are in tasks of a recorded task graph, or in tasks of its replay. The
 * program makes the calls that a compiler emits for the construct on libomp with LIBOMP_OMPX_TASKGRAPH. Each thread's
 * line has the kinds of its tasks as "chain".
 *
 * The graph: a first task, three that depend on it, and one that depends on those. Two of the three park. The third is
 * ready, and the last one waits for three tasks.
 */
#include <stdint.h>
#include <string.h>

#include "oracle.h"

#define CHAIN "\"chain\":[\"explicit\",\"implicit\",\"initial\"]"

extern int32_t __kmpc_global_thread_num(void *place);
extern int32_t __kmpc_start_record_task(void *place, int32_t gtid, int32_t flags, int32_t graph);
extern void __kmpc_end_record_task(void *place, int32_t gtid, int32_t flags, int32_t graph);

static int is_parking;

static void work(void)
{
	if (!is_parking)
		return;
	oracle_say(BY_PAUSE, CHAIN);
	park();
}

/* Record the graph in the first call, and replay it in the second. */
static void execute_graph(void)
{
	int32_t me = __kmpc_global_thread_num(0);
	char first;

	if (__kmpc_start_record_task(0, me, 0, 0)) {
#pragma omp task depend(out : first)
		(void)0;
		for (int i = 0; i < 3; i++)
#pragma omp task depend(in : first)
			work();
#pragma omp task depend(out : first)
		(void)0;
	}
	__kmpc_end_record_task(0, me, 0, 0);
}

int main(int argc, char **argv)
{
	int is_replay = argc > 1 && !strcmp(argv[1], "replay");

	park_begin(2);
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		is_parking = !is_replay;
		execute_graph();
		is_parking = 1;
		execute_graph();
	}
	return 0;
}
