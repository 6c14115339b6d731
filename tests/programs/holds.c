/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Threads take and release locks and critical sections all the time, in functions of
 * many forms. They record the holders in `truth`, and print its address. An answer
 * that names a holder must agree with it at any moment. Runs until stdin closes.
 */
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { GLOBAL, FIRST, SECOND, NEST, NAMED, OTHER_NAMED, UNNAMED, PASSED, N_OBJECTS };
enum { N_THREADS = 6, N_LOCKS = 2 };

struct truth {
	uint64_t address[N_OBJECTS]; /* 0: an object of the runtime */
	int32_t holder[N_OBJECTS];   /* valid while set; 0: a thread is entering or leaving, or there is no holder */
	int32_t tid[N_THREADS];
	int32_t busy[N_THREADS]; /* bit n: the thread holds object n, is about to, or did just before */
};

volatile struct truth truth;

static omp_lock_t global, locks[N_LOCKS], *passed;
static omp_nest_lock_t nest;
extern void *named __asm__(".gomp_critical_user_named"), *other_named __asm__(".gomp_critical_user_other_named");

#define NOINLINE __attribute__((noinline))

static void begin(int object)
{
	truth.busy[omp_get_thread_num()] |= 1 << object;
}

static void has(int object)
{
	truth.holder[object] = truth.tid[omp_get_thread_num()];
}

static void gives(int object)
{
	truth.holder[object] = 0;
}

static void done(int object)
{
	truth.busy[omp_get_thread_num()] &= ~(1 << object);
}

/* Work for a while, part of it asleep. */
static NOINLINE void work(unsigned n)
{
	if (n % 7 == 0)
		usleep(n % 500);
	for (volatile unsigned i = 0; i < n % 3000; i++)
		;
}

static NOINLINE void in_global(unsigned n, int inner);

static NOINLINE void in_nest(unsigned n)
{
	begin(NEST);
	omp_set_nest_lock(&nest);
	omp_set_nest_lock(&nest);
	has(NEST);
	work(n);
	omp_unset_nest_lock(&nest);
	work(n / 3);
	gives(NEST);
	omp_unset_nest_lock(&nest);
	done(NEST);
}

static NOINLINE void in_critical(unsigned n)
{
	begin(NAMED);
#pragma omp critical(named)
	{
		has(NAMED);
		work(n);
		if (n % 4 == 0)
			in_nest(n / 4);
		gives(NAMED);
	}
	done(NAMED);
	if (n % 2) {
		begin(OTHER_NAMED);
#pragma omp critical(other_named)
		{
			has(OTHER_NAMED);
			work(n / 2);
			gives(OTHER_NAMED);
		}
		done(OTHER_NAMED);
	}
}

static NOINLINE void in_array(unsigned n)
{
	for (int i = 0; i < N_LOCKS; i++) {
		begin(FIRST + i);
		omp_set_lock(&locks[i]);
		has(FIRST + i);
		work(n);
		if (n % 3 == 0)
			in_critical(n / 3);
		gives(FIRST + i);
		omp_unset_lock(&locks[i]);
		done(FIRST + i);
	}
}

/* One path releases early. */
static NOINLINE void in_passed(omp_lock_t *lock, unsigned n)
{
	begin(PASSED);
	omp_set_lock(lock);
	has(PASSED);
	work(n);
	if (n % 5 == 0) {
		gives(PASSED);
		omp_unset_lock(lock);
		done(PASSED);
		work(n);
		return;
	}
	if (n % 5 == 1)
		in_array(n / 2);
	gives(PASSED);
	omp_unset_lock(lock);
	done(PASSED);
}

/* Release the caller's lock: the caller's code does not show this. */
static NOINLINE void release_global(unsigned n)
{
	work(n);
	gives(GLOBAL);
	omp_unset_lock(&global);
	done(GLOBAL);
	work(n);
}

static NOINLINE void in_global(unsigned n, int inner)
{
	begin(GLOBAL);
	if (n % 11) {
		omp_set_lock(&global);
	} else if (!omp_test_lock(&global)) {
		done(GLOBAL);
		return;
	}
	has(GLOBAL);
	if (inner)
		in_passed(passed, n);
	if (n % 13 == 0) {
		release_global(n);
		work(n / 2);
		return;
	}
	gives(GLOBAL);
	omp_unset_lock(&global);
	done(GLOBAL);
	work(n / 4);
}

static NOINLINE void in_plain(unsigned n)
{
	begin(GLOBAL);
	omp_set_lock(&global);
	has(GLOBAL);
	work(n);
	gives(GLOBAL);
	omp_unset_lock(&global);
	done(GLOBAL);
}

static NOINLINE void in_unnamed(unsigned n)
{
	begin(UNNAMED);
#pragma omp critical
	{
		has(UNNAMED);
		work(n);
		gives(UNNAMED);
	}
	done(UNNAMED);
}

static volatile int ends;

static void *read_input(void *arg)
{
	char c;

	while (read(0, &c, 1) > 0)
		;
	ends = 1;
	return arg;
}

int main(void)
{
	pthread_t reader;

	omp_init_lock(&global);
	for (int i = 0; i < N_LOCKS; i++)
		omp_init_lock(&locks[i]);
	omp_init_nest_lock(&nest);
	passed = malloc(sizeof(*passed));
	omp_init_lock(passed);
	truth.address[GLOBAL] = (uint64_t)(uintptr_t)&global;
	truth.address[FIRST] = (uint64_t)(uintptr_t)&locks[0];
	truth.address[SECOND] = (uint64_t)(uintptr_t)&locks[1];
	truth.address[NEST] = (uint64_t)(uintptr_t)&nest;
	truth.address[NAMED] = (uint64_t)(uintptr_t)&named;
	truth.address[OTHER_NAMED] = (uint64_t)(uintptr_t)&other_named;
	truth.address[PASSED] = (uint64_t)(uintptr_t)passed;
	pthread_create(&reader, NULL, read_input, NULL);
#pragma omp parallel num_threads(N_THREADS)
	{
		unsigned n = 12345u + 77u * (unsigned)omp_get_thread_num();

		truth.tid[omp_get_thread_num()] = gettid();
#pragma omp barrier
#pragma omp single nowait
		{
			printf("%p\n", (volatile void *)&truth);
			fflush(stdout);
		}
		while (!ends) {
			n = n * 1103515245u + 12345u;
			switch (n >> 16 & 7) {
			case 0:
				in_global(n >> 18, 1);
				break;
			case 1:
				in_array(n >> 18);
				break;
			case 2:
				in_critical(n >> 18);
				break;
			case 3:
				in_nest(n >> 18);
				break;
			case 4:
				in_plain(n >> 18);
				break;
			case 5:
				in_passed(passed, n >> 18);
				break;
			default:
				in_unnamed(n >> 18);
				break;
			}
		}
	}
	pthread_join(reader, NULL);
	return 0;
}
