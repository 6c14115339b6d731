/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program ends while threads work, wait, or sleep; the exit code is that of who called exit(). */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *worker(void *arg)
{
	(void)arg;
	for (;;) {
#pragma omp parallel num_threads(3)
		{
#pragma omp barrier
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int how = argc > 1 ? atoi(argv[1]) : 0;
	pthread_t t;

	switch (how) {
	case 0: /* from another member, the others at a barrier */
#pragma omp parallel num_threads(4)
		{
			if (omp_get_thread_num() == 2) {
				usleep(20000);
				exit(7);
			}
#pragma omp barrier
		}
		break;
	case 1: /* while another thread has regions */
		pthread_create(&t, NULL, worker, NULL);
		usleep(20000);
		exit(7);
	case 2: /* from the primary, the others work */
#pragma omp parallel num_threads(4)
		{
			if (omp_get_thread_num() == 0)
				exit(7);
			for (;;)
				;
		}
		break;
	}
	return 1;
}
