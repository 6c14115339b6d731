/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * calls FILE: executes regions known numbers of times, nested or not, also in threads that exit meanwhile.
 * The first word of FILE limits the program's progress. 1: execute the regions. From 2 on: leave one region
 * after the other, after a stop in each. The second word is the progress that the program waits for.
 */
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "park.h"

static int *go;

static void stand(int until)
{
	if (!until || omp_get_thread_num() != 0)
		return;
	__atomic_store_n(&go[1], until, __ATOMIC_RELEASE);
	park_await(go, until);
}

static void flat(int until)
{
#pragma omp parallel num_threads(2)
	stand(until);
}

static void inner(int until)
{
#pragma omp parallel num_threads(2)
	stand(until);
}

static void outer(int until, int until_inner)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0)
			stand(until);
		else
			inner(0);
#pragma omp barrier
		/* Last of all: an observer that sees it stopped here sees all that is counted. */
		if (omp_get_thread_num() == 0)
			inner(until_inner);
	}
}

/* More functions than the initial size of a table in the runtime. */
#define ONE(n)                                                                                                         \
	static void many_##n(int until)                                                                                \
	{                                                                                                              \
		_Pragma("omp parallel num_threads(1)") stand(until);                                                   \
	}
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6)
#define NAME(n)	  many_##n,
#define NAMES(n)                                                                                                       \
	NAME(n##0) NAME(n##1) NAME(n##2) NAME(n##3) NAME(n##4) NAME(n##5) NAME(n##6) NAME(n##7) NAME(n##8) NAME(n##9)
static void (*const many[])(int) = {NAMES(1) NAMES(2) NAMES(3) NAMES(4) NAMES(5) NAMES(6)};

static void *on_thread(void *arg)
{
	for (int i = 0; i < *(const int *)arg; i++)
		flat(0);
	return NULL;
}

static void run_thread(int times)
{
	pthread_t id;

	if (pthread_create(&id, NULL, on_thread, &times))
		abort();
	pthread_join(id, NULL);
}

static void execute(void)
{
	for (int i = 0; i < 1000; i++)
		flat(0);
	run_thread(30);
	run_thread(40);
	for (int i = 0; i < 50; i++)
		outer(0, 0);
	for (int i = 0; i < 7; i++)
		inner(0);
	for (int k = 0; k < 3; k++) {
		for (size_t i = 0; i < sizeof(many) / sizeof(*many); i++)
			many[i](0);
		flat(0);
	}
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR) : -1;

	go = fd < 0 ? MAP_FAILED : mmap(NULL, 2 * sizeof(*go), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (go == MAP_FAILED) {
		perror("calls FILE");
		return EXIT_FAILURE;
	}
	omp_set_max_active_levels(2);
	omp_set_dynamic(0);
	park_begin(0);
	/* Before any observation. */
	for (int i = 0; i < 11; i++)
		flat(0);
	inner(0);
	stand(1);
	execute();
	flat(2);
	inner(3);
	outer(4, 5);
	many_69(6);
	park();
}
