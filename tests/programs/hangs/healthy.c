/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that do not hang, for tests of `why`. argv[1]
 * selects one. They repeat the same work until they are killed. */
#include "hang.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static omp_lock_t lock;
static omp_nest_lock_t nest;
volatile long work;
int cells[8];

static void spend(int n)
{
	for (int i = 0; i < n; i++)
		work += i;
}

static void locks(void)
{
#pragma omp parallel num_threads(4)
	for (int i = 0; i < 200; i++) {
		omp_set_lock(&lock);
		spend(2000);
		omp_unset_lock(&lock);
		omp_set_nest_lock(&nest);
		omp_set_nest_lock(&nest);
		spend(500);
		omp_unset_nest_lock(&nest);
		omp_unset_nest_lock(&nest);
	}
}

/* The first thread past the barrier takes the lock that others still hold. */
static void rounds(void)
{
#pragma omp parallel num_threads(4)
	for (int i = 0; i < 200; i++) {
		int is_first = omp_get_thread_num() == i % 4;

		if (is_first)
			omp_set_lock(&lock);
#pragma omp barrier
		if (is_first) {
			spend(1000);
			omp_unset_lock(&lock);
		} else {
			omp_set_lock(&lock);
			omp_unset_lock(&lock);
		}
#pragma omp barrier
	}
}

static void criticals(void)
{
#pragma omp parallel num_threads(4)
	for (int i = 0; i < 300; i++) {
#pragma omp critical(outer)
		{
			spend(300);
#pragma omp critical(inner)
			spend(300);
		}
	}
}

static void barriers(void)
{
#pragma omp parallel num_threads(4)
	for (int i = 0; i < 300; i++) {
		spend(omp_get_thread_num() == i % 4 ? 5000 : 100);
#pragma omp barrier
	}
}

static long fib(int n)
{
	long a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a) if (n > 12)
	a = fib(n - 1);
#pragma omp task shared(b) if (n > 12)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

static void tasks(void)
{
#pragma omp parallel num_threads(4)
#pragma omp single
	work += fib(21);
}

static void depends(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskgroup
	for (int i = 0; i < 400; i++) {
#pragma omp task depend(inout : cells[i % 8]) depend(in : cells[(i + 1) % 8])
		spend(2000);
	}
}

/* Tasks whose blocks end long before their events are fulfilled, by another thread or by the same one. */
static void detached(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
	for (int i = 0; i < 200; i++) {
		omp_event_handle_t event;

#pragma omp task detach(event)
		spend(500);
#pragma omp task firstprivate(event)
		{
			spend(20000);
			omp_fulfill_event(event);
		}
		if (i % 4 == 0) {
#pragma omp taskwait
		}
	}
}

static void ordered(void)
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(4)
	for (int i = 0; i < 400; i++) {
		spend(500);
#pragma omp ordered
		spend(500);
	}
}

static void doacross(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(3)
	for (int i = 1; i < 200; i++) {
#pragma omp ordered depend(sink : i - 1)
		spend(500);
#pragma omp ordered depend(source)
		spend(500);
	}
}

static void singles(void)
{
	long v = 0;

#pragma omp parallel num_threads(4) firstprivate(v)
	for (int i = 0; i < 100; i++) {
#pragma omp single copyprivate(v)
		{
			spend(3000);
			v = i;
		}
#pragma omp single
		spend(1000 + (int)v);
	}
}

static void nested(void)
{
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
	spend(20000);
}

static void serial(void)
{
#pragma omp parallel num_threads(4)
	spend(1000);
	spend(2000000);
}

/* Short sleeps in all kinds of places. */
static void sleeps(void)
{
#pragma omp parallel num_threads(4)
	for (int i = 0; i < 10; i++) {
		if (omp_get_thread_num() == i % 4)
			usleep(500);
#pragma omp critical(nap)
		usleep(300);
#pragma omp barrier
	}
}

/* Threads are in the same loop nearly always, region after region. */
static void steps(void)
{
#pragma omp parallel num_threads(3)
	spend(100000);
}

/* One thread works in one loop for as long as a test looks at it, on any processor, while the others wait. */
static void computes(void)
{
#pragma omp parallel num_threads(3)
	if (omp_get_thread_num() == 1) {
		for (long i = 0; i < 1L << 40; i++)
			work += i;
	}
}

/* Threads poll for a while, and get what they wait for. */
static void polls(void)
{
	static int is_set;

#pragma omp parallel num_threads(3)
	for (int i = 0; i < 100; i++) {
		if (omp_get_thread_num() == 0) {
			usleep(20000);
			__atomic_store_n(&is_set, 1, __ATOMIC_SEQ_CST);
		} else if (omp_get_thread_num() == 1) {
			while (!__atomic_load_n(&is_set, __ATOMIC_SEQ_CST))
				usleep(1000);
		}
#pragma omp barrier
		if (omp_get_thread_num() == 1)
			__atomic_store_n(&is_set, 0, __ATOMIC_SEQ_CST);
#pragma omp barrier
	}
}

/* One thread sleeps for long, and will continue. */
static void naps(void)
{
#pragma omp parallel num_threads(4)
	if (omp_get_thread_num() == 1)
		sleep(800);
}

/* Mutexes of the C library among OpenMP's locks, always taken in one order, and released in another. */
static void mutexes(void)
{
	static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, last = PTHREAD_MUTEX_INITIALIZER;

#pragma omp parallel num_threads(4)
	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&first);
		omp_set_lock(&lock);
		pthread_mutex_lock(&last);
		spend(300);
		omp_unset_lock(&lock);
		pthread_mutex_unlock(&first);
#pragma omp critical(inner)
		spend(300);
		pthread_mutex_unlock(&last);
	}
}

static void *post(void *arg)
{
	sem_post(arg);
	return NULL;
}

/* Objects of the C library that threads wait for, for short times. */
static void library(void)
{
	static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
	static FILE *null;
	sem_t ready;
	pthread_t thread;

	if (!null)
		null = fopen("/dev/null", "w");
	sem_init(&ready, 0, 0);
#pragma omp parallel num_threads(4)
	for (int i = 0; i < 100; i++) {
		if (omp_get_thread_num() == i % 4)
			pthread_rwlock_wrlock(&table);
		else
			pthread_rwlock_rdlock(&table);
		spend(1000);
		pthread_rwlock_unlock(&table);
		flockfile(null);
		spend(300);
		fputs("text", null);
		funlockfile(null);
	}
	pthread_create(&thread, NULL, post, &ready);
	sem_wait(&ready);
	pthread_join(thread, NULL);
}

/* Nested teams of all sizes: most of their threads sleep for a while, and are woken again. */
static void sizes(unsigned seed, int depth)
{
#pragma omp parallel num_threads(1 + seed % 4)
	{
		unsigned next = seed * 31 + (unsigned)omp_get_thread_num() * 7 + 1;

		spend((int)(next % 2000));
		if (depth < 3 && next % 3 == 0)
			sizes(next, depth + 1);
#pragma omp barrier
		spend(50);
	}
}

/* Teams of threads that start and exit. */
static void *root(void *seed)
{
	for (unsigned i = 0; i < 20; i++)
		sizes((unsigned)(uintptr_t)seed + i, 1);
	return NULL;
}

static void roots(void)
{
	static uintptr_t turn;
	pthread_t thread;

	omp_set_max_active_levels(3);
	pthread_create(&thread, NULL, root, (void *)turn++);
	root((void *)turn++);
	pthread_join(thread, NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{"locks", locks},	{"rounds", rounds},   {"criticals", criticals}, {"barriers", barriers},
	{"tasks", tasks},	{"depends", depends}, {"ordered", ordered},	{"doacross", doacross},
	{"singles", singles},	{"nested", nested},   {"serial", serial},	{"sleeps", sleeps},
	{"detached", detached}, {"mutexes", mutexes}, {"naps", naps}, {"roots", roots},
	{"library", library}, {"steps", steps}, {"computes", computes}, {"polls", polls},
};

int main(int argc, char **argv)
{
	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
	omp_set_max_active_levels(2);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		while (argc > 1 && !strcmp(kinds[i].name, argv[1]))
			kinds[i].run();
	}
	return 1;
}
