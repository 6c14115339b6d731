/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Members that have reached the end of a region with tasks sleep while the primary thread takes its time. */
#include <omp.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

int main(void)
{
	struct timespec second = {1, 0};
	struct rusage used;
	int sum = 0;

#pragma omp parallel num_threads(3)
	{
#pragma omp task shared(sum)
#pragma omp atomic
		sum++;
		if (omp_get_thread_num() == 0)
			nanosleep(&second, NULL);
	}
	getrusage(RUSAGE_SELF, &used);
	printf("%d tasks, %ld us\n", sum, (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000L + used.ru_utime.tv_usec +
						  used.ru_stime.tv_usec);
	return sum != 3 || used.ru_utime.tv_sec || used.ru_stime.tv_sec || used.ru_utime.tv_usec + used.ru_stime.tv_usec > 100000;
}
