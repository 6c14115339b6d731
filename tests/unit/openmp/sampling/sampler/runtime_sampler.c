/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/sampling/sampler/runtime_sampler: knowledge about threads from sample to sample, without a target. */
#include "openmp/sampling/sampler/runtime_sampler.h"

#include <omp-tools.h>
#include <stdlib.h>

#include "base/error.h"
#include "check_main.h"
#include "openmp/model/snapshot.h"
#include "openmp/plugin/ompd.h"

#define N 3

static struct tally tally;
static struct runtime_sampler l;
static struct sampled_thread threads[N];
static struct call_chain chain;
static bool is_new;

static void setup(void)
{
	ck_assert(tally_init(&tally, true, false));
	chain = (struct call_chain){.at = {.function = 7, .file = 8, .line = 9}};
	for (size_t i = 0; i < N; i++)
		threads[i] = (struct sampled_thread){.tid = 10 * (pid_t)(i + 1)};
	l = (struct runtime_sampler){.tally = &tally, .threads = threads, .n_threads = N};
}

static void teardown(void)
{
	tally_deinit(&tally);
}

START_TEST(test_threads_are_found)
{
	for (size_t i = 0; i < N; i++) {
		ck_assert_ptr_eq(runtime_sampler_find_thread(&l, threads[i].tid), &threads[i]);
		ck_assert_ptr_null(runtime_sampler_find_thread(&l, threads[i].tid + 1));
	}
	ck_assert_ptr_null(runtime_sampler_find_thread(&l, 0));
	l.n_threads = 0;
	ck_assert_ptr_null(runtime_sampler_find_thread(&l, 10));
}
END_TEST

/* Samples one lock that thread 20 owns and thread 10 waits for. */
static uint32_t sample_lock(int state, uint32_t owner)
{
	struct snapshot_thread of[N] = {{.tid = 10}, {.tid = 20}, {.tid = 30}};
	struct snapshot_mutex mutexes[] = {
		{.address = 0x80, .rc = ompd_rc_ok, .state = OMPD_MUTEX_HELD, .thread = 2},
		{.address = 0x40, .rc = ompd_rc_unavailable},
		{.address = 0x40, .rc = ompd_rc_ok, .state = state, .thread = owner},
	};
	struct snapshot s = {.threads = of, .n_threads = N, .mutexes = mutexes, .n_mutexes = 3};
	uint32_t lock = tally_lock(&tally, 0x40, PROFILE_LOCK, &is_new);
	struct tally_sample sample = {
		.tid = 10, .state = PROFILE_LOCK, .region = TALLY_NONE, .task = TALLY_NONE, .lock = lock};

	tally_begin(&tally);
	tally_add(&tally, &sample, 0, 100);
	runtime_sampler_add_holders(&l, &s, 100);
	tally_end(&tally, 100);
	return lock;
}

START_TEST(test_a_holder_that_sleeps)
{
	threads[1].is_asleep = threads[1].is_current = true;
	threads[1].chain = &chain;
	const struct tally_lock *lock = &tally.locks[sample_lock(OMPD_MUTEX_HELD, 1)];
	ck_assert_uint_eq(lock->n_holders, 1);
	ck_assert_uint_eq(lock->holders[0].place.function, 7);
	ck_assert_int_eq(lock->holders[0].place.line, 9);
	ck_assert(!lock->holders[0].is_inferred);
	ck_assert_uint_eq(lock->holders[0].us, 100);
	/* Its stack is from an earlier sleep. */
	threads[1].is_current = false;
	sample_lock(OMPD_MUTEX_HELD, 1);
	ck_assert_uint_eq(lock->holders[0].us, 100);
	ck_assert_uint_eq(lock->holders_other_us, 100);
}
END_TEST

START_TEST(test_a_holder_that_runs)
{
	/* The chain of its last sleep is not its present place. */
	threads[1].chain = &chain;
	const struct tally_lock *lock = &tally.locks[sample_lock(OMPD_MUTEX_HELD, 1)];
	ck_assert_uint_eq(lock->n_holders, 0);
	ck_assert_uint_eq(lock->holders_other_us, 100);
	threads[1].samples[0] = &chain;
	threads[1].n_samples = 1;
	sample_lock(OMPD_MUTEX_HELD, 1);
	ck_assert_uint_eq(lock->n_holders, 1);
	ck_assert(lock->holders[0].is_inferred);
	ck_assert_uint_eq(lock->holders[0].us, 100);
}
END_TEST

START_TEST(test_no_holder)
{
	const struct tally_lock *lock = &tally.locks[sample_lock(OMPD_MUTEX_FREE, SNAPSHOT_NONE)];

	ck_assert_uint_eq(lock->n_holders, 0);
	ck_assert_uint_eq(lock->holders_other_us, 0);
	/* The holder is a thread that has exited. */
	sample_lock(OMPD_MUTEX_HELD, SNAPSHOT_NONE);
	ck_assert_uint_eq(lock->n_holders, 0);
	ck_assert_uint_eq(lock->holders_other_us, 100);
}
END_TEST

/* Thread 10 waits for the lock of a critical construct; the stacks of 20 and 30 show their held locks. */
static const struct tally_lock *sample_critical(void)
{
	struct snapshot_thread of[N] = {
		{.tid = 10, .openmp = true}, {.tid = 20, .openmp = true}, {.tid = 30, .openmp = true}};
	struct snapshot s = {.threads = of, .n_threads = N};
	uint32_t lock = tally_lock(&tally, 0x40, PROFILE_CRITICAL, &is_new);
	struct tally_sample sample = {
		.tid = 10, .state = PROFILE_CRITICAL, .region = TALLY_NONE, .task = TALLY_NONE, .lock = lock};

	tally_begin(&tally);
	tally_add(&tally, &sample, 0, 100);
	runtime_sampler_add_holders(&l, &s, 100);
	tally_end(&tally, 100);
	return &tally.locks[lock];
}

static struct call_chain holding(enum holder_kind kind, uint64_t address, bool is_only)
{
	struct call_chain has = chain;

	has.holds = (struct stack_holds){.n = 1, .held = {{.kind = kind, .address = address, .is_only = is_only}}};
	return has;
}

START_TEST(test_a_holder_by_its_code)
{
	struct call_chain has = holding(HOLDER_CRITICAL, 0x40, false);

	threads[1].is_asleep = threads[1].is_current = true;
	threads[1].chain = &has;
	const struct tally_lock *lock = sample_critical();
	ck_assert_uint_eq(lock->n_holders, 1);
	ck_assert_uint_eq(lock->holders[0].place.function, 7);
	ck_assert(!lock->holders[0].is_inferred);
	/* A sample of another running thread is from another moment. */
	struct call_chain had = has;
	had.at.function = 70;
	threads[0].samples[0] = &had;
	threads[0].n_samples = 1;
	sample_critical();
	ck_assert_uint_eq(lock->n_holders, 1);
	ck_assert_uint_eq(lock->holders[0].us, 200);
}
END_TEST

START_TEST(test_holders_by_code_that_run)
{
	struct call_chain has = holding(HOLDER_CRITICAL, 0x40, false);

	threads[1].samples[0] = &has;
	threads[1].n_samples = 1;
	const struct tally_lock *lock = sample_critical();
	ck_assert_uint_eq(lock->n_holders, 1);
	ck_assert(lock->holders[0].is_inferred);
	/* At most one of two threads holds it now. */
	threads[2].samples[0] = &has;
	threads[2].n_samples = 1;
	sample_critical();
	ck_assert_uint_eq(lock->holders[0].us, 100);
	ck_assert_uint_eq(lock->holders_other_us, 0);
}
END_TEST

START_TEST(test_who_holds_something_else)
{
	struct call_chain others[] = {holding(HOLDER_CRITICAL, 0x48, false), holding(HOLDER_LOCK, 0x40, false),
				      holding(HOLDER_CRITICAL, 0, true)};

	threads[1].is_asleep = threads[1].is_current = true;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		threads[1].chain = &others[i];
		ck_assert_uint_eq(sample_critical()->n_holders, 0);
	}
}
END_TEST

/* Threads come and go; the knowledge about the remaining threads is kept. */
START_TEST(test_threads_are_listed)
{
	static const pid_t now[] = {5, 10, 20, 40};
	struct runtime_sampler own = {.tally = &tally};

	ck_assert(runtime_sampler_list(&own, now + 1, 2));
	ck_assert_uint_eq(own.n_threads, 2);
	own.threads[1].n_samples = 3;
	ck_assert(runtime_sampler_list(&own, now, 4));
	ck_assert_uint_eq(own.n_threads, 4);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_int_eq(own.threads[i].tid, now[i]);
		ck_assert_uint_eq(own.threads[i].n_samples, now[i] == 20 ? 3 : 0);
	}
	ck_assert(runtime_sampler_list(&own, now, 1));
	ck_assert_int_eq(own.threads[0].tid, 5);
	ck_assert(runtime_sampler_list(&own, now, 3));
	ck_assert_uint_eq(runtime_sampler_find_thread(&own, 20)->n_samples, 0);
	ck_assert(runtime_sampler_list(&own, NULL, 0));
	ck_assert_uint_eq(own.n_threads, 0);
	free(own.threads);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/sampling/sampler/runtime_sampler");
	TCase *tc = tcase_create("runtime_sampler");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_threads_are_found);
	tcase_add_test(tc, test_a_holder_that_sleeps);
	tcase_add_test(tc, test_a_holder_that_runs);
	tcase_add_test(tc, test_no_holder);
	tcase_add_test(tc, test_a_holder_by_its_code);
	tcase_add_test(tc, test_holders_by_code_that_run);
	tcase_add_test(tc, test_who_holds_something_else);
	tcase_add_test(tc, test_threads_are_listed);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
