/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * idle N [M]: a region of N threads has ended and its threads wait in the dock. The initial thread
 * parks outside of any region; with M, it parks in a following team of M threads (libgomp then ends
 * surplus threads or starts new ones). Lines with "idle":true contain only a docked thread's id.
 */
#include <omp.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "oracle.h"

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 4;
	int m = argc > 2 ? atoi(argv[2]) : 0;
	int tids[64] = {0};

	if (n > 64)
		return 2;
	park_begin(m ? m : n);
#pragma omp parallel num_threads(n)
	tids[omp_get_thread_num()] = park_tid();
	if (m) {
#pragma omp parallel num_threads(m)
		oracle_park();
	}
	for (int i = 1; i < n; i++) {
		park_await_syscall(tids[i], SYS_futex);
		park_say("{\"tid\":%d,\"by\":\"futex\",\"idle\":true}", tids[i]);
	}
	oracle_park();
}
