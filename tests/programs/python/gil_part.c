/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An extension that runs a parallel region, whose threads call Python, while it holds Python's GIL, or after a release. */
#include <omp.h>
#include <unistd.h>

__attribute__((noinline)) static void call_back(void (*function)(int), int number)
{
	function(number); /* HERE */
	__asm__ volatile("");
}

/* ctypes calls it with the GIL (PyDLL) or without (CDLL). */
void each(void (*function)(int))
{
#pragma omp parallel num_threads(4)
	if (omp_get_thread_num())
		call_back(function, omp_get_thread_num());
}

/* Sleeps with the GIL, if it is called through PyDLL. */
void hold(void)
{
	sleep(1000);
}
