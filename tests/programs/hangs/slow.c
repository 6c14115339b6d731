/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Programs that are slow, and twins that nearly are, for tests of `why --slow`. argv[1] selects one, argv[2] the number
 * of threads. They repeat the same work until they are killed. "HERE:KIND" marks the line that a finding must name.
 */
#include "hang.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int n_threads = 2;

/* Work for about a tenth of @n milliseconds, without a system call. */
__attribute__((noinline)) static void spend(int n)
{
	volatile long work = 0;

	for (long i = 0; i < n * 50000L; i++)
		work += i;
}

static void even(void)
{
#pragma omp parallel num_threads(n_threads)
	for (int i = 0; i < 10; i++) {
		spend(100);
#pragma omp barrier
	}
}

/* Thread 0 has most of the iterations' work. */
__attribute__((noinline)) static void sweep(int heavy, int light)
{
#pragma omp parallel num_threads(n_threads)
	{
#pragma omp for schedule(static, 1)
		for (int i = 0; i < n_threads; i++) /* HERE:imbalance */
			spend(i ? light : heavy);
		spend(light);
	}
}

static void imbalance(void)
{
	sweep(100, 10);
}

static void balanced(void)
{
	sweep(100, 93);
}

/* The same at the end of a region. */
__attribute__((noinline)) static void region_end(void)
{
#pragma omp parallel num_threads(n_threads) /* HERE:region_end */
	spend(omp_get_thread_num() ? 10 : 100);
}

__attribute__((noinline)) static void prepare(int n)
{
	volatile long left = n * 50000L;

	/* Not the code of spend(): the compiler would merge them. */
	while (left > 0)
		left -= 1; /* HERE:serial */
}

__attribute__((noinline)) static void solve(int n)
{
#pragma omp parallel num_threads(n_threads)
	spend(n);
}

static void serial(void)
{
	prepare(200);
	solve(50);
}

static void hardly_serial(void)
{
	prepare(10);
	solve(400);
}

static int channel[2];

static void *feed(void *us)
{
	for (;;) {
		usleep((useconds_t)(long)us);
		if (write(channel[1], "x", 1) != 1)
			return NULL;
	}
}

__attribute__((noinline)) static void load(void)
{
	char c;

	if (read(channel[0], &c, 1) != 1) /* HERE:reads */
		exit(1);
}

/* Thread 0 reads while the others wait for it. */
static void reads(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, feed, (void *)20000L);
#pragma omp parallel num_threads(n_threads)
	for (;;) {
		if (omp_get_thread_num() == 0)
			load();
#pragma omp barrier
		spend(10);
#pragma omp barrier
	}
}

/* The same, but the data is there at once. */
static void hardly_reads(void)
{
#pragma omp parallel num_threads(n_threads)
	for (;;) {
		if (omp_get_thread_num() == 0) {
			if (write(channel[1], "x", 1) != 1)
				exit(1);
			load();
		}
#pragma omp barrier
		spend(100);
#pragma omp barrier
	}
}

static void locked(int inside, int outside)
{
#pragma omp parallel num_threads(n_threads)
	for (int i = 0; i < 100; i++) {
#pragma omp critical(sum) /* HERE:contention */
		spend(inside);
		spend(outside);
	}
}

static void contention(void)
{
	locked(20, 2);
}

static void hardly_contention(void)
{
	locked(1, 200);
}

static void chores(void)
{
	volatile long work = 0;

	for (int i = 0; i < 100; i++)
		work += i;
}

/* Regions with hardly any work. */
static void regions(void)
{
	for (int i = 0; i < 1000; i++) {
#pragma omp parallel num_threads(n_threads) /* HERE:regions */
		chores();
	}
}

static void long_regions(void)
{
	for (int i = 0; i < 10; i++) {
#pragma omp parallel num_threads(n_threads)
		spend(100);
	}
}

/* Several teams of one process at once. */
static void *root(void *arg)
{
	for (;;)
		even();
	return arg;
}

static void pools(void)
{
	pthread_t thread;

	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, root, NULL);
	root(NULL);
}

#define BYTES (64 << 20)

/* Each thread reads its part of the memory, which it wrote first, or thread 0 wrote all. */
static void use_memory(bool by_each)
{
	static char *data;

	if (!data)
		data = malloc(BYTES);
	if (!data)
		exit(1);
#pragma omp parallel num_threads(n_threads)
	{
		size_t size = BYTES / (size_t)n_threads;
		volatile char *part = data + size * (size_t)omp_get_thread_num();
		long sum = 0;

		if (by_each)
			memset((char *)part, 1, size);
		else if (omp_get_thread_num() == 0)
			memset(data, 1, BYTES);
#pragma omp barrier
		for (;;) {
			for (size_t i = 0; i < size; i += 64)
				sum += part[i];
		}
	}
}

static void memory_of_one(void)
{
	use_memory(false);
}

static void memory_of_each(void)
{
	use_memory(true);
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{"even", even},		    {"imbalance", imbalance},
	{"balanced", balanced},	    {"region_end", region_end},
	{"serial", serial},	    {"hardly_serial", hardly_serial},
	{"reads", reads},	    {"hardly_reads", hardly_reads},
	{"contention", contention}, {"hardly_contention", hardly_contention},
	{"regions", regions},	    {"long_regions", long_regions},
	{"pools", pools},	    {"memory_of_one", memory_of_one},
	{"memory_of_each", memory_of_each},
};

int main(int argc, char **argv)
{
	if (pipe(channel))
		return 1;
	if (argc > 2)
		n_threads = atoi(argv[2]);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		while (argc > 1 && !strcmp(kinds[i].name, argv[1]))
			kinds[i].run();
	}
	return 1;
}
