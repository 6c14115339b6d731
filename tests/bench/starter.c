/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* starter 0: an OpenMP program that starts no parallel region. starter 1: it starts one of two threads. */
#include <omp.h>

int main(int argc, char **argv)
{
	if (argc > 1 && argv[1][0] == '1') {
#pragma omp parallel num_threads(2)
		__asm__ volatile("" ::: "memory");
	}
	return omp_get_level();
}
