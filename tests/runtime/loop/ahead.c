/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Loops in order whose threads lose the CPU behind what others wait for: when an iteration is posted, or its ordered region is
 * left, the rest of it takes so long that others get far ahead, past everything that is reused.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { N = 200, COLUMNS = 5, FAR = 100 };

static long last;    /* iteration that was executed; only the order protects it */
static long reached; /* the same; atomic */
static int n_threads;

static void rest(long us)
{
	struct timespec t = {0, us * 1000};

	nanosleep(&t, NULL);
}

static void execute(long i)
{
	if (last != i - 1) {
		fprintf(stderr, "iteration %ld after %ld\n", i, last);
		exit(1);
	}
	last = i;
	__atomic_store_n(&reached, i, __ATOMIC_RELEASE);
}

/* The rest of iteration @i; the first chunk has @chunk iterations. */
static void stay_behind(long i, long chunk, long round)
{
	unsigned r = (unsigned)(i * 2654435761u + round * 40503u);

	if (round) {
		if (r >> 29 == 0)
			rest((r >> 8) % 200);
		return;
	}
	/* The thread of the first chunk is still in it when others are FAR; from then on it hurries, and they do not. */
	if (i == chunk - 1)
		for (int k = 0; k < 5000 && __atomic_load_n(&reached, __ATOMIC_ACQUIRE) < FAR; k++)
			rest(100);
	else if (i >= FAR)
		rest(300);
}

#define DOACROSS(type, clause, chunk)                                                                                \
	do {                                                                                                         \
		_Pragma("omp parallel num_threads(n_threads)")                                                       \
		_Pragma(clause)                                                                                      \
		for (type i = 1; i <= N; i++) {                                                                      \
			_Pragma("omp ordered depend(sink: i - 1)")                                                   \
			execute((long)i - 1);                                                                        \
			_Pragma("omp ordered depend(source)")                                                        \
			stay_behind((long)i - 1, chunk, round);                                                      \
		}                                                                                                    \
	} while (0)

#define NEST(clause, chunk)                                                                                          \
	do {                                                                                                         \
		_Pragma("omp parallel num_threads(n_threads)")                                                       \
		_Pragma(clause)                                                                                      \
		for (int i = 0; i < N; i++)                                                                          \
			for (int j = 0; j < COLUMNS; j++) {                                                          \
				_Pragma("omp ordered depend(sink: i - 1, j)")                                        \
				if (j == COLUMNS - 1)                                                                \
					execute(i);                                                                  \
				_Pragma("omp ordered depend(source)")                                                \
				if (j == COLUMNS - 1)                                                                \
					stay_behind(i, chunk, round);                                                \
			}                                                                                            \
	} while (0)

#define ORDERED(type, clause, chunk)                                                                                 \
	do {                                                                                                         \
		_Pragma("omp parallel num_threads(n_threads)")                                                       \
		_Pragma(clause)                                                                                      \
		for (type i = 1; i <= N; i++) {                                                                      \
			_Pragma("omp ordered")                                                                       \
			execute((long)i - 1);                                                                        \
			stay_behind((long)i - 1, chunk, round);                                                      \
		}                                                                                                    \
	} while (0)

#define CHECKED(what)                                                                                                \
	do {                                                                                                         \
		last = reached = -1;                                                                                 \
		what;                                                                                                \
		if (last != N - 1)                                                                                   \
			return 1;                                                                                    \
	} while (0)

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;

	alarm(600);
	for (long round = 0; round < rounds; round++)
		for (n_threads = 2; n_threads <= 4; n_threads++) {
			CHECKED(DOACROSS(int, "omp for ordered(1) schedule(dynamic)", 1));
			CHECKED(DOACROSS(unsigned long long, "omp for ordered(1) schedule(dynamic, 2)", 2));
			CHECKED(DOACROSS(long, "omp for ordered(1) schedule(guided, 3)", 3));
			CHECKED(NEST("omp for ordered(2) schedule(dynamic)", 1));
			CHECKED(ORDERED(int, "omp for ordered schedule(dynamic)", 1));
			CHECKED(ORDERED(unsigned long long, "omp for ordered schedule(dynamic, 2)", 2));
			/* The others would wait for a thread that waits for them. */
			if (!round)
				continue;
			CHECKED(DOACROSS(int, "omp for ordered(1) schedule(static)", 0));
			CHECKED(DOACROSS(int, "omp for ordered(1) schedule(static, 2)", 0));
			CHECKED(NEST("omp for ordered(2) schedule(static, 1)", 0));
			CHECKED(ORDERED(long, "omp for ordered schedule(guided)", 0));
			CHECKED(ORDERED(long, "omp for ordered schedule(static, 3)", 0));
		}
	return 0;
}
