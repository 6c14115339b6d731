/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * frames: each of two threads executes an explicit task in a barrier of its region, and reports the canonical frame
 * addresses of its own functions: "cfa" has the task's, the region's, and on the first thread that of main().
 */
#include <omp.h>
#include <stdint.h>

#include "park.h"

#define CFA() ((unsigned long long)(uintptr_t)__builtin_dwarf_cfa())

static volatile int behind;
static unsigned long long of_main, of_region[2];

static __attribute__((noinline)) void report(unsigned long long of_task)
{
	int number = omp_get_thread_num();

	if (number)
		park_say("{\"tid\":%d,\"by\":\"pause\",\"cfa\":[\"0x%llx\",\"0x%llx\"]}", park_tid(), of_task, of_region[number]);
	else
		park_say("{\"tid\":%d,\"by\":\"pause\",\"cfa\":[\"0x%llx\",\"0x%llx\",\"0x%llx\"]}", park_tid(), of_task,
			 of_region[number], of_main);
	park();
}

int main(void)
{
	park_begin(2);
	of_main = CFA();
#pragma omp parallel num_threads(2)
	{
		of_region[omp_get_thread_num()] = CFA();
#pragma omp barrier
#pragma omp single nowait
		for (int i = 0; i < 2; i++) {
#pragma omp task
			report(CFA());
		}
#pragma omp barrier
		behind = 1; /* a barrier at the end would be a jump, and the region's function not on the stack */
	}
}
