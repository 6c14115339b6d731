/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads of the program's own that use OpenMP, and end: their teams end with them. */
#include <dirent.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long n_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	long n = -2;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static pthread_key_t key;

static void late(void *arg)
{
	int sum = 0;

	(void)arg;
#pragma omp parallel num_threads(2) reduction(+ : sum)
	sum++;
	if (sum != 2)
		abort();
}

static void *body(void *arg)
{
	long rounds = (long)arg;

	pthread_setspecific(key, arg);
	omp_set_max_active_levels(2);
	for (long i = 0; i < rounds; i++) {
		int sum = 0;

#pragma omp parallel num_threads(3) reduction(+ : sum)
		{
#pragma omp parallel num_threads(2) reduction(+ : sum)
			sum += 1;
		}
		if (sum != 6)
			abort();
	}
	if (omp_get_thread_num() != 0 || omp_get_level() != 0)
		abort();
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 200;

	omp_set_max_active_levels(2);
	pthread_key_create(&key, late);
	for (int i = 0; i < n; i++) {
		pthread_t t[3];

		for (int k = 0; k < 3; k++)
			pthread_create(&t[k], NULL, body, (void *)(long)(i % 5 + 1));
		for (int k = 0; k < 3; k++)
			pthread_join(t[k], NULL);
	}
	/* The pool's threads go on their own; soon. */
	for (int i = 0; i < 1000 && n_threads() > 1; i++)
		usleep(10000);
	printf("%ld threads\n", n_threads());
	return n_threads() != 1;
}
