/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The holder of a lock, from ompd_get_mutex_owner(): our runtime records every holder, libgomp only
 * those of nestable locks.
 */
#include <omp.h>
#include <pthread.h>

#include "check_main.h"
#include "ompd-more.h"
#include "libompd_oracle.h"
#include "self_target.h"

#define FOREIGN 100

static omp_lock_t lock, other;
static omp_nest_lock_t nest, free_nest;

/* Thread 0 holds the lock and parks; thread 1 waits for the lock. */

static void program_lock(void)
{
	omp_init_lock(&lock);
	omp_init_lock(&other);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0)
			omp_set_lock(&lock);
#pragma omp barrier
		if (omp_get_thread_num() == 0) {
			oracle_park(0);
		} else {
			oracle_record(1);
			omp_set_lock(&lock);
		}
		omp_unset_lock(&lock);
	}
}

static void program_nest_lock(void)
{
	omp_init_nest_lock(&nest);
	omp_init_nest_lock(&free_nest);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			omp_set_nest_lock(&nest);
			omp_set_nest_lock(&nest);
		}
#pragma omp barrier
		if (omp_get_thread_num() == 0) {
			oracle_park(0);
			omp_unset_nest_lock(&nest);
		} else {
			oracle_record(1);
			omp_set_nest_lock(&nest);
		}
		omp_unset_nest_lock(&nest);
	}
}

static void program_critical(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp critical(mine)
			{
				oracle_record(2);
				oracle_park(0);
			}
		} else {
			while (!__atomic_load_n(&oracle_count, __ATOMIC_ACQUIRE))
				;
			oracle_record(1);
#pragma omp critical(mine)
			__atomic_add_fetch(&oracle_views[0].chunk, 0, __ATOMIC_RELAXED);
		}
	}
}

/* A thread outside all regions holds the lock. */
static void *hold(void *arg)
{
	omp_set_lock(&lock);
	pthread_barrier_wait(arg);
	oracle_park(FOREIGN);
	omp_unset_lock(&lock);
	return NULL;
}

/* A thread that holds the lock ends. */
static void *leave(void *arg)
{
#pragma omp parallel num_threads(1)
	omp_set_lock(&other);
	pthread_barrier_wait(arg);
	return NULL;
}

static void program_threads(void)
{
	pthread_barrier_t barrier;
	pthread_t holder, leaver;

	omp_init_lock(&lock);
	omp_init_lock(&other);
	pthread_barrier_init(&barrier, NULL, 3);
	ck_assert_int_eq(pthread_create(&holder, NULL, hold, &barrier), 0);
	ck_assert_int_eq(pthread_create(&leaver, NULL, leave, &barrier), 0);
	pthread_barrier_wait(&barrier);
	pthread_join(leaver, NULL);
	/* Another thread replaces it, possibly in the same memory, and holds no lock. */
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0)
		oracle_park(0);
	pthread_join(holder, NULL);
}

static ompd_wait_id_t wait_id_of(int tag)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(tag));
	ompd_wait_id_t wait_id = 0;
	ompd_word_t state;

	oracle_wait_asleep(tag);
	if (ompd_get_state(thread, &state, &wait_id) != ompd_rc_ok || !wait_id)
		wait_id = oracle_sleeps_on(tag);
	ompd_rel_thread_handle(thread);
	return wait_id;
}

static void check_thread(ompd_thread_handle_t *thread, int tag)
{
	ompd_thread_handle_t *expected = oracle_thread(oracle_view(tag));
	int order = -1;

	ck_assert_int_eq(ompd_thread_handle_compare(thread, expected, &order), ompd_rc_ok);
	ck_assert_int_eq(order, 0);
	ompd_rel_thread_handle(expected);
	ompd_rel_thread_handle(thread);
}

static void check_task(ompd_task_handle_t *task, int tag)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(tag));
	ompd_task_handle_t *expected = NULL;
	int order = -1;

	ck_assert_int_eq(ompd_get_curr_task_handle(thread, &expected), ompd_rc_ok);
	ck_assert_int_eq(ompd_task_handle_compare(task, expected, &order), ompd_rc_ok);
	ck_assert_int_eq(order, 0);
	ompd_rel_task_handle(expected);
	ompd_rel_thread_handle(thread);
	ompd_rel_task_handle(task);
}

/* The thread of view @tag holds the lock at @wait_id. */
static void check_owner(ompd_wait_id_t wait_id, ompt_mutex_t kind, int tag)
{
	ompd_thread_handle_t *thread = NULL;
	ompd_task_handle_t *task = NULL;
	ompd_word_t state = -1;
	ompd_rc_t rc = ompd_get_mutex_owner(oracle_process, wait_id, kind, &state, &thread, &task);

	if (!oracle_runtime_is_ours() && kind != ompt_mutex_nest_lock) {
		ck_assert_int_eq(rc, ompd_rc_unsupported);
		return;
	}
	ck_assert_int_eq(rc, ompd_rc_ok);
	ck_assert_int_eq(state, ompd_mutex_held);
	ck_assert(thread || task);
	if (thread)
		check_thread(thread, tag);
	if (task)
		check_task(task, tag);
}

static void check_free(ompd_wait_id_t wait_id, ompt_mutex_t kind)
{
	ompd_thread_handle_t *thread = (void *)1;
	ompd_task_handle_t *task = (void *)1;
	ompd_word_t state = -1;

	ck_assert_int_eq(ompd_get_mutex_owner(oracle_process, wait_id, kind, &state, &thread, &task), ompd_rc_ok);
	ck_assert_int_eq(state, ompd_mutex_free);
	ck_assert_ptr_null(thread);
	ck_assert_ptr_null(task);
}

static void observe_lock(void)
{
	check_owner(wait_id_of(1), ompt_mutex_lock, 0);
	ck_assert_uint_eq(wait_id_of(1), (uint64_t)(uintptr_t)&lock);
	if (oracle_runtime_is_ours())
		check_free((uint64_t)(uintptr_t)&other, ompt_mutex_lock);
}

START_TEST(test_owner_of_a_lock)
{
	oracle_run(program_lock, 1, 2, observe_lock);
}
END_TEST

static void observe_nest_lock(void)
{
	check_owner(wait_id_of(1), ompt_mutex_nest_lock, 0);
	check_free((uint64_t)(uintptr_t)&free_nest, ompt_mutex_nest_lock);
}

START_TEST(test_owner_of_a_nestable_lock)
{
	oracle_run(program_nest_lock, 1, 2, observe_nest_lock);
}
END_TEST

static void observe_critical(void)
{
	check_owner(wait_id_of(1), ompt_mutex_critical, 0);
}

START_TEST(test_owner_of_a_critical)
{
	oracle_run(program_critical, 1, 3, observe_critical);
}
END_TEST

static void observe_threads(void)
{
	ompd_thread_handle_t *thread = NULL;
	ompd_task_handle_t *task = NULL;
	ompd_word_t state = -1;

	if (!oracle_runtime_is_ours())
		return;
	check_owner((uint64_t)(uintptr_t)&lock, ompt_mutex_lock, FOREIGN);
	ck_assert_int_eq(ompd_get_mutex_owner(oracle_process, (uint64_t)(uintptr_t)&other, ompt_mutex_lock, &state,
					      &thread, &task),
			 ompd_rc_ok);
	ck_assert_int_eq(state, ompd_mutex_orphaned);
	ck_assert_ptr_null(thread);
	ck_assert_ptr_null(task);
}

START_TEST(test_owners_in_no_region)
{
	oracle_run(program_threads, 2, 2, observe_threads);
}
END_TEST

static uint64_t words[][2] = {
	{1, 0},			    /* not a lock of our runtime */
	{2, 0},			    /* libgomp: a lock without a holder */
	{0xffffffffffffffffull, 0}, /* all bits */
	{0x4000000000000001ull, 1}, /* libgomp: only the bit for sleeping threads */
	{0x100000001ull, 0},	    /* libgomp: held, but without a holder */
	{0x100000001ull, 0x1000},   /* libgomp: the holder is a task in unmapped memory */
	{0x100000001ull, 8},	    /* libgomp: the holder is a task below the lowest address */
	{0x40000000ull, 0},	    /* ours: an unknown thread is the holder */
	{0x40000001ull, 0},	    /* the same, and threads sleep */
	{0xc0000002ull, 0},
};

static void observe_words(void)
{
	ompd_thread_handle_t *thread = NULL;
	ompd_task_handle_t *task = NULL;
	ompd_word_t state = -1;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		ompd_rc_t rc = ompd_get_mutex_owner(oracle_process, (uint64_t)(uintptr_t)words[i], ompt_mutex_nest_lock,
						    &state, &thread, &task);

		/* The first half of one of these is zero: in our runtime, the lock is free. */
		if (rc != ompd_rc_unavailable)
			ck_assert_msg(rc == ompd_rc_ok && state == ompd_mutex_free, "%zu: %d, %d", i, rc, (int)state);
		ck_assert_ptr_null(thread);
		ck_assert_ptr_null(task);
	}
	ck_assert_int_ne(ompd_get_mutex_owner(oracle_process, 8, ompt_mutex_nest_lock, &state, &thread, &task),
			 ompd_rc_ok);
	ck_assert_int_eq(ompd_get_mutex_owner(oracle_process, 0, ompt_mutex_lock, &state, &thread, &task),
			 ompd_rc_bad_input);
	ck_assert_int_eq(ompd_get_mutex_owner(oracle_process, 8, ompt_mutex_lock, NULL, &thread, &task),
			 ompd_rc_bad_input);
	ck_assert_int_eq(ompd_get_mutex_owner(oracle_process, 8, ompt_mutex_lock, &state, NULL, &task),
			 ompd_rc_bad_input);
	ck_assert_int_eq(ompd_get_mutex_owner(oracle_process, 8, ompt_mutex_lock, &state, &thread, NULL),
			 ompd_rc_bad_input);
	ck_assert_int_eq(ompd_get_mutex_owner(NULL, 8, ompt_mutex_lock, &state, &thread, &task), ompd_rc_stale_handle);
}

static void program_idle(void)
{
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0)
		oracle_park(0);
}

START_TEST(test_words_that_are_no_locks)
{
	oracle_run(program_idle, 1, 1, observe_words);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("libompd/api/mutex");
	TCase *tc = tcase_create("mutex");

	tcase_add_test(tc, test_owner_of_a_lock);
	tcase_add_test(tc, test_owner_of_a_nestable_lock);
	tcase_add_test(tc, test_owner_of_a_critical);
	tcase_add_test(tc, test_owners_in_no_region);
	tcase_add_test(tc, test_words_that_are_no_locks);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
