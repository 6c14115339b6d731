/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The relay of relay_child.h. */
#include "relay_child.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "check_main.h"
#include "child.h"

/* Pauses become longer until a slow machine takes a view within one. */
#define ROUNDS_OF_PAUSE 100
#define MAX_PAUSE_US	200000

struct relay_page relay_written[RELAY_WRITERS];
struct relay_options relay_options;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void spin(useconds_t us)
{
	struct timespec from, now;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - from.tv_sec) * 1000000 + (now.tv_nsec - from.tv_nsec) / 1000 < (long)us);
}

static void pause_writer(unsigned *seed, uint64_t round)
{
	uint64_t longest = relay_options.pause_us * (1 + round / ROUNDS_OF_PAUSE);

	if (longest > MAX_PAUSE_US)
		longest = MAX_PAUSE_US;
	if (longest && rand_r(seed) % 4 == 0)
		usleep((useconds_t)((uint64_t)rand_r(seed) % longest));
}

static void *write_last(void *number)
{
	relay_written[RELAY_THREADS].number = *(uint64_t *)number;
	return NULL;
}

static void complete_round(uint64_t number)
{
	pthread_t last;

	if (!pthread_create(&last, NULL, write_last, &number))
		pthread_join(last, NULL);
	if (relay_options.at_round)
		relay_options.at_round(number);
}

void *relay_thread(void *index)
{
	int i = (int)(intptr_t)index;
	unsigned seed = (unsigned)i + 1;

	child_shared->tids[i] = gettid();
	__atomic_add_fetch(&child_shared->ready, 1, __ATOMIC_SEQ_CST);
	for (uint64_t round = 1;; round++) {
		uint64_t number = relay_options.before + round;

		pthread_mutex_lock(&lock);
		while (relay_options.turn != i)
			pthread_cond_wait(&changed, &lock);
		relay_written[i].number = number;
		if (i == RELAY_THREADS - 1)
			complete_round(number);
		child_shared->counters[0] = number;
		relay_options.turn = (i + 1) % RELAY_THREADS;
		pause_writer(&seed, round);
		spin(relay_options.spin_us);
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

void relay_run(void)
{
	for (int i = 1; i < RELAY_THREADS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, relay_thread, (void *)(intptr_t)i))
			abort();
	}
	relay_thread((void *)0);
}

/* Each writer writes after the one before: numbers fall by one at most once. */
void relay_check(const uint64_t *numbers, uint64_t before)
{
	for (int i = 0; i < RELAY_WRITERS; i++) {
		/* A writer that has not written in this image has a zero. */
		uint64_t number = numbers[i] ? numbers[i] : before;
		uint64_t first = numbers[0] ? numbers[0] : before;

		ck_assert_uint_ge(first, number);
		ck_assert_uint_le(first - number, 1);
		ck_assert(i == 0 || (numbers[i - 1] ? numbers[i - 1] : before) >= number);
	}
}
