/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * hidden: a region of two threads, while a hidden helper thread executes a task of a target region with
 * nowait. The program makes the call that a compiler for another device emits. The helper's line has "helper".
 */
#include <omp.h>
#include <stddef.h>
#include <stdint.h>

#include "oracle.h"

typedef int32_t routine_t(int32_t, void *);

/* kmp.h */
static struct {
	int32_t reserved, flags, more[2];
	const char *source;
} place = {.flags = 2, .source = ";unknown;unknown;0;0;;"};
extern int32_t __kmpc_global_thread_num(void *place);
extern void *__kmpc_omp_target_task_alloc(void *place, int32_t gtid, int32_t flags, size_t size, size_t shared, routine_t *routine,
					  int64_t device);
extern int32_t __kmpc_omp_task(void *place, int32_t gtid, void *task);

static int entered;

static int32_t help(int32_t gtid, void *task)
{
	(void)gtid, (void)task;
	park_say("{\"tid\":%d,\"by\":\"%s\",\"helper\":true}", park_tid(), BY_PAUSE);
	__atomic_store_n(&entered, 1, __ATOMIC_RELEASE);
	park();
}

int main(void)
{
	park_begin(3);
	int32_t me = __kmpc_global_thread_num(&place);

	/* Tied; kmp_task_t has five words. */
	__kmpc_omp_task(&place, me, __kmpc_omp_target_task_alloc(&place, me, 1, 40, 0, help, 0));
	park_await(&entered, 1);
#pragma omp parallel num_threads(2)
	oracle_park();
}
