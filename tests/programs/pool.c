/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * pool: both threads of a region execute an explicit task with threadset(omp_pool), and a third such task has not
 * started. The program makes the calls that clang 22 and later emit. Libomp 20 and later know the flag.
 * Each thread's line has the kinds of its tasks as "chain".
 */
#include <stddef.h>
#include <stdint.h>

#include "oracle.h"

/* kmp.h */
#define TIED	   1
#define FREE_AGENT 0x80
#define TASK_SIZE  40 /* of a kmp_task_t */

typedef int32_t routine_t(int32_t, void *);

extern int32_t __kmpc_global_thread_num(void *place);
extern void *__kmpc_omp_task_alloc(void *place, int32_t gtid, int32_t flags, size_t size, size_t shared, routine_t *routine);
extern int32_t __kmpc_omp_task(void *place, int32_t gtid, void *task);

static int32_t work(int32_t gtid, void *task)
{
	(void)gtid, (void)task;
	oracle_say(BY_PAUSE, "\"chain\":[\"explicit\",\"implicit\",\"initial\"]");
	park();
}

int main(void)
{
	park_begin(2);
#pragma omp parallel num_threads(2)
	{
		int32_t me = __kmpc_global_thread_num(0);

#pragma omp single nowait
		for (int i = 0; i < 3; i++)
			__kmpc_omp_task(0, me, __kmpc_omp_task_alloc(0, me, TIED | FREE_AGENT, TASK_SIZE, 0, work));
	}
	return 0;
}
