/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of core/loop/workshare with threads: constructs of all kinds in a row, without barriers, some threads far
 * behind. */
#include "core/loop/workshare.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "core/loop/doacross.h"
#include "core/loop/loop.h"
#include "core/loop/ordered.h"
#include "core/loop/single.h"
#include "core/state/icv.h"
#include "core/state/root.h"
#include "core/state/team.h"
#include "core/state/worksharing.h"
#include "core/sync/wait.h"
#include "os/spin.h"
#include "team_of.h"

enum { N_THREADS = 4, N_CONSTRUCTS = 6000, N = 50, ROWS = 20, COLUMNS = 7 };

/* Kinds of constructs. */
enum { DYNAMIC, GUIDED, STATIC, MONOTONIC, ORDERED, SINGLE, COPYPRIVATE, MEMORY, DOACROSS, N_KINDS };

static struct team_of all;
static uint64_t executed[N_CONSTRUCTS]; /* iterations, or another proof of correctness; atomic */
static uint64_t in_order[N_CONSTRUCTS]; /* executed ordered regions; not atomic: the construct must order them */
static uint8_t done[N_CONSTRUCTS][ROWS][COLUMNS];
static uint32_t errors;

static void require(bool condition)
{
	if (!condition)
		__atomic_fetch_add(&errors, 1, __ATOMIC_RELAXED);
}

static struct workshare_setup setup_of(struct thread *t, uint64_t n, uint32_t schedule, uint64_t chunk, bool ordered)
{
	struct workshare_setup s = {.incr = 1, .end = n, .n = n};

	loop_setup_schedule(t, &s, schedule, chunk, ordered);
	return s;
}

static void do_loop(struct thread *t, uint32_t k, uint32_t schedule, uint64_t chunk)
{
	struct workshare_setup s = setup_of(t, N, schedule, chunk, false);
	uint64_t first, end;

	for (loop_begin(t, &s); loop_next(t, &first, &end);)
		__atomic_fetch_add(&executed[k], end - first, __ATOMIC_RELAXED);
	loop_leave(t);
}

static void do_ordered(struct thread *t, uint32_t k)
{
	static const uint32_t schedules[] = {SCHEDULE_STATIC, SCHEDULE_DYNAMIC, SCHEDULE_GUIDED};
	struct workshare_setup s = setup_of(t, N, schedules[k % 3], k / 3 % 4, true);
	uint64_t first, end;

	for (loop_begin(t, &s); loop_next(t, &first, &end);) {
		for (; first < end; first++) {
			/* Iterations without an ordered region are allowed. */
			if (k % 2 && first % 3 == 0)
				continue;
			if (!ordered_may_begin(t))
				ordered_wait(t);
			require(in_order[k] <= first);
			in_order[k] = first + 1;
			ordered_end(t);
			__atomic_fetch_add(&executed[k], 1, __ATOMIC_RELAXED);
		}
	}
	loop_leave(t);
}

static void do_copyprivate(struct thread *t, uint32_t k)
{
	if (single_copy_begin(t)) {
		if (k % 64 == 0)
			usleep(1500);
		__atomic_fetch_add(&executed[k], 1, __ATOMIC_RELAXED);
		single_copy_give(t, &executed[k]);
	} else {
		require(single_copy_get(t) == &executed[k]);
	}
}

static void do_memory(struct thread *t, uint32_t k)
{
	struct workshare_setup s = setup_of(t, N, SCHEDULE_STATIC, 0, false);
	void *memory = (void *)(uintptr_t)(8 + k % 7 * 5000);
	struct loop_extras extras = {.memory = &memory};
	uint64_t *words, n_words = (uintptr_t)memory / 8;

	loop_begin_extras(t, &s, &extras);
	words = memory;
	require((uintptr_t)words % CACHE_LINE == 0);
	__atomic_fetch_add(&executed[k], __atomic_fetch_add(&words[n_words - 1], 1, __ATOMIC_RELAXED),
			   __ATOMIC_RELAXED);
	loop_leave(t);
}

static void do_doacross(struct thread *t, uint32_t k)
{
	static const uint32_t schedules[] = {SCHEDULE_STATIC, SCHEDULE_DYNAMIC, SCHEDULE_GUIDED};
	struct workshare_setup s = setup_of(t, ROWS, schedules[k % 3] | SCHEDULE_MONOTONIC, k / 3 % 4, false);
	const uint64_t counts[] = {ROWS, COLUMNS};
	struct loop_extras extras = {.n_counts = 2, .counts = counts};
	uint64_t row, end;

	for (loop_begin_extras(t, &s, &extras); loop_next(t, &row, &end);) {
		for (; row < end; row++) {
			for (uint64_t column = 0; column < COLUMNS; column++) {
				uint64_t vector[] = {row, column};
				uint64_t before = column + 1 < COLUMNS ? column + 1 : column;
				uint64_t number = (row - 1) * COLUMNS + before;

				if (row && !doacross_is_done(t, row - 1, number))
					doacross_wait(t, row - 1, number);
				require(!row || done[k][row - 1][before]);
				done[k][row][column] = 1;
				__atomic_fetch_add(&executed[k], 1, __ATOMIC_RELAXED);
				doacross_post(t, vector);
			}
		}
	}
	loop_leave(t);
}

static int kind_of(uint32_t k)
{
	return (int)((k * 2654435761u >> 13) % N_KINDS);
}

static uint64_t expected(uint32_t k)
{
	switch (kind_of(k)) {
	case ORDERED:
		return k % 2 ? N - (N + 2) / 3 : N;
	case SINGLE:
	case COPYPRIVATE:
		return 1;
	case MEMORY:
		return N_THREADS * (N_THREADS - 1) / 2;
	case DOACROSS:
		return ROWS * COLUMNS;
	default:
		return N;
	}
}

static void do_construct(struct thread *t, uint32_t k)
{
	switch (kind_of(k)) {
	case DYNAMIC:
		do_loop(t, k, SCHEDULE_DYNAMIC, k % 3);
		break;
	case GUIDED:
		do_loop(t, k, SCHEDULE_GUIDED, k % 3);
		break;
	case STATIC:
		do_loop(t, k, SCHEDULE_STATIC, k % 3);
		break;
	case MONOTONIC:
		do_loop(t, k, (k % 2 ? SCHEDULE_DYNAMIC : SCHEDULE_GUIDED) | SCHEDULE_MONOTONIC, k % 3);
		break;
	case ORDERED:
		do_ordered(t, k);
		break;
	case SINGLE:
		if (single_begin(t))
			__atomic_fetch_add(&executed[k], 1, __ATOMIC_RELAXED);
		break;
	case COPYPRIVATE:
		do_copyprivate(t, k);
		break;
	case MEMORY:
		do_memory(t, k);
		break;
	default:
		do_doacross(t, k);
		break;
	}
}

static void *member(void *arg)
{
	struct thread *t = arg;
	uint32_t late = t->thread_num;

	for (uint32_t k = 0; k < N_CONSTRUCTS; k++) {
		/* One thread after the other falls behind. */
		if (k / 500 % N_THREADS == late && k % 250 == 0)
			usleep(2000);
		do_construct(t, k);
	}
	return NULL;
}

static void run_region(void)
{
	pthread_t threads[N_THREADS];

	memset(executed, 0, sizeof(executed));
	memset(in_order, 0, sizeof(in_order));
	memset(done, 0, sizeof(done));
	team_of_begin(&all);
	for (uint32_t i = 0; i < N_THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, member, &all.threads[i]), 0);
	for (uint32_t i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	team_of_end(&all);
	ck_assert_uint_eq(errors, 0);
	for (uint32_t k = 0; k < N_CONSTRUCTS; k++)
		if (executed[k] != expected(k))
			ck_abort_msg("construct %u of kind %d: %lu, not %lu", k, kind_of(k), executed[k], expected(k));
}

START_TEST(test_constructs_without_barriers)
{
	team_of_init(&all, N_THREADS);
	for (int i = 0; i < 3; i++)
		run_region();
	team_of_deinit(&all);
}
END_TEST

/* The waits end with more CPUs than threads, and with fewer; also when threads sleep. */
START_TEST(test_sleepers_are_woken)
{
	icv_process.wait_policy = WAIT_PASSIVE;
	wait_init();
	team_of_init(&all, N_THREADS);
	icv_process.num_procs = _i ? 2 : 64;
	runtime_root.n_threads = N_THREADS;
	run_region();
	team_of_deinit(&all);
}
END_TEST

/* A thread encounters all constructs before the others encounter the first: they find each of them unchanged. */
START_TEST(test_far_ahead)
{
	struct workshare_setup s;
	uint64_t first, end;

	team_of_init(&all, 2);
	for (int region = 0; region < 3; region++) {
		uint64_t n[2] = {0};

		team_of_begin(&all);
		for (uint32_t i = 0; i < 2; i++) {
			for (uint64_t k = 0; k < 1000; k++) {
				s = setup_of(&all.threads[i], 2 * k, SCHEDULE_STATIC, 0, true);
				loop_begin(&all.threads[i], &s);
				/* Without the ordered part, which would wait. */
				all.threads[i].member->share.loop.in_order = LOOP_ANY_ORDER;
				if (loop_next(&all.threads[i], &first, &end))
					n[i] += end - first;
			}
		}
		ck_assert_uint_eq(n[0], 1000 * 999 / 2);
		ck_assert_uint_eq(n[1], n[0]);
		team_of_end(&all);
	}
	team_of_deinit(&all);
}
END_TEST

/* Remains of a cancelled region do not confuse the next region. */
START_TEST(test_after_a_cancelled_region)
{
	struct workshare_setup s;
	uint64_t first, end, n = 0;

	team_of_init(&all, 2);
	s = setup_of(&all.threads[0], 100, SCHEDULE_DYNAMIC, 1, false);
	for (int k = 0; k < 40; k++)
		loop_begin(&all.threads[1], &s); /* thread 0 encounters none of them */
	all.team->cancelled = CANCEL_PARALLEL;
	workshares_end_slow(all.team);
	all.team->cancelled = 0;
	team_of_begin(&all);
	for (int k = 0; k < 40; k++)
		for (uint32_t i = 0; i < 2; i++)
			for (loop_begin(&all.threads[i], &s); loop_next(&all.threads[i], &first, &end);)
				n += end - first;
	ck_assert_uint_eq(n, 4000);
	team_of_end(&all);
	team_of_deinit(&all);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime/workshare");
	TCase *tc = tcase_create("workshare");

	tcase_add_test(tc, test_constructs_without_barriers);
	tcase_add_loop_test(tc, test_sleepers_are_woken, 0, 2);
	tcase_add_test(tc, test_far_ahead);
	tcase_add_test(tc, test_after_a_cancelled_region);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
