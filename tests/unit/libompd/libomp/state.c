/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Wait states that libomp's memory proves, and the holders of the awaited locks. This process runs
 * on libomp.
 */
#include <dlfcn.h>
#include <omp.h>
#include <time.h>
#include <unistd.h>

#include "check_main.h"
#include "handles.h"
#include "libompd_oracle.h"
#include "ompd-more.h"
#include "self_target.h"

#define N 4
/* Time limit in seconds for a thread to reach its place. */
#define PATIENCE 100

static const char *kind;
static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static int begun;

static ompd_rc_t state_of(int tag, ompd_word_t *state, ompd_wait_id_t *wait_id)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(tag));
	ompd_rc_t rc = ompd_get_state(thread, state, wait_id);

	ompd_rel_thread_handle(thread);
	return rc;
}

/* Wait until the thread is in @expected, and return its wait id. */
static ompd_wait_id_t await(int tag, ompd_word_t expected)
{
	ompd_wait_id_t wait_id = 0;
	ompd_word_t state = 0;
	time_t end = time(NULL) + PATIENCE;

	while (time(NULL) < end) {
		if (state_of(tag, &state, &wait_id) == ompd_rc_ok && state == expected)
			return wait_id;
		usleep(1000);
	}
	ck_abort_msg("thread %d is in state 0x%lx, never in 0x%lx", tag, (long)state, (long)expected);
	return 0;
}

static ompd_rc_t owner_of(ompd_wait_id_t wait_id, ompd_word_t mutex, ompd_word_t *state, int *tag)
{
	ompd_thread_handle_t *thread = NULL;
	ompd_task_handle_t *task = NULL;
	ompd_rc_t rc = ompd_get_mutex_owner(oracle_process, wait_id, mutex, state, &thread, &task);

	*tag = -1;
	for (int i = 0; thread && i < oracle_count; i++) {
		ompd_thread_handle_t *other = oracle_thread(&oracle_views[i]);
		int cmp;

		ompd_thread_handle_compare(thread, other, &cmp);
		if (!cmp)
			*tag = oracle_views[i].tag;
		ompd_rel_thread_handle(other);
	}
	if (thread)
		ompd_rel_thread_handle(thread);
	ck_assert_ptr_null(task);
	return rc;
}

/* Thread 0 holds the lock and is parked; then the other threads arrive. */
static void locks_program(void)
{
	omp_init_lock(&lock);
	omp_init_nest_lock(&nest_lock);
#pragma omp parallel num_threads(N)
	{
		int me = omp_get_thread_num();

		if (me)
			while (!__atomic_load_n(&oracle_count, __ATOMIC_ACQUIRE))
				usleep(100);
		if (me)
			oracle_record(me);
		switch (*kind) {
		case 'c':
#pragma omp critical(residual)
			if (!me)
				oracle_park(0);
			break;
		case 'l':
			omp_set_lock(&lock);
			if (!me)
				oracle_park(0);
			omp_unset_lock(&lock);
			break;
		default:
			omp_set_nest_lock(&nest_lock);
			if (!me)
				oracle_park(0);
			omp_unset_nest_lock(&nest_lock);
			break;
		}
	}
}

static void observe_locks(void)
{
	ompd_word_t expected = *kind == 'c' ? ompt_state_wait_critical : ompt_state_wait_lock, state;
	ompd_wait_id_t first = await(1, expected);
	int tag;

	ck_assert_uint_ne(first, 0);
	for (int i = 2; i < N; i++)
		ck_assert_uint_eq(await(i, expected), first);
	ck_assert_int_eq(state_of(0, &state, NULL), ompd_rc_unavailable);
	/* Only a nestable lock records its holder. */
	if (*kind == 'n') {
		ck_assert_int_eq(owner_of(first, ompt_mutex_nest_lock, &state, &tag), ompd_rc_ok);
		ck_assert_int_eq(state, ompd_mutex_held);
		ck_assert_int_eq(tag, 0);
		/* The same with the address of the program's variable. */
		ck_assert_int_eq(owner_of((uintptr_t)&nest_lock, ompt_mutex_nest_lock, &state, &tag), ompd_rc_ok);
		ck_assert_int_eq(tag, 0);
	} else {
		ck_assert_int_eq(owner_of(first, ompt_mutex_lock, &state, &tag), ompd_rc_unavailable);
	}
	ck_assert_int_eq(owner_of(first, ompt_mutex_atomic, &state, &tag), ompd_rc_unsupported);
}

static const char *const kinds[] = {"critical", "lock", "nest lock"};

START_TEST(test_state_locks)
{
	kind = kinds[_i];
	oracle_run(locks_program, 1, N, observe_locks);
}
END_TEST

/* Locks whose word in the program contains the holder. */
static void direct_program(void)
{
	/* A function that libgomp does not have. */
	void (*init)(omp_lock_t *, omp_sync_hint_t);

	*(void **)&init = dlsym(RTLD_DEFAULT, "omp_init_lock_with_hint");
	ck_assert(init);
	init(&lock, omp_sync_hint_uncontended);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num())
			omp_set_lock(&lock);
#pragma omp barrier
		oracle_park(omp_get_thread_num());
	}
}

static void observe_direct(void)
{
	ompd_word_t state;
	int tag;

	ck_assert_int_eq(owner_of((uintptr_t)&lock, ompt_mutex_lock, &state, &tag), ompd_rc_ok);
	ck_assert_int_eq(state, ompd_mutex_held);
	ck_assert_int_eq(tag, 1);
}

START_TEST(test_state_lock_that_has_its_owner)
{
	oracle_run(direct_program, 2, 0, observe_direct);
}
END_TEST

static void barrier_program(void)
{
#pragma omp parallel num_threads(N)
	{
		if (omp_get_thread_num() == 2)
			oracle_park(2);
		else
			oracle_record(omp_get_thread_num());
		if (*kind == 'b') {
#pragma omp barrier
		}
	}
}

static void observe_barrier(void)
{
	ompd_word_t expected = *kind == 'b' ? ompt_state_wait_barrier : ompt_state_wait_barrier_implicit_parallel;
	ompd_wait_id_t first = await(1, expected);

	ck_assert_uint_ne(first, 0);
	/* The first thread shows its state only while it sleeps. */
	ck_assert_uint_eq(await(0, expected), first);
	ck_assert_uint_eq(await(3, expected), first);
}

static const char *const barriers[] = {"barrier", "end of the region"};

START_TEST(test_state_barrier)
{
	kind = barriers[_i];
	oracle_run(barrier_program, 1, N, observe_barrier);
}
END_TEST

static void await_begun(void)
{
	while (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE))
		usleep(100);
}

/* The other thread executes its only child. */
static void task_program(void)
{
#pragma omp parallel num_threads(2)
	if (!omp_get_thread_num()) {
		if (*kind == 'g') {
#pragma omp taskgroup
			{
#pragma omp task
				{
					__atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
					oracle_park(1);
				}
				await_begun();
				oracle_record(0);
			}
		} else {
#pragma omp task
			{
				__atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
				oracle_park(1);
			}
			await_begun();
			oracle_record(0);
#pragma omp taskwait
		}
	}
}

static void observe_task(void)
{
	ompd_word_t state;

	/*
	 * A task in a taskgroup that its thread waits for is also a child. The thread's wait cannot
	 * be determined.
	 */
	if (*kind == 'g')
		ck_assert_int_eq(state_of(0, &state, NULL), ompd_rc_unavailable);
	else
		ck_assert_uint_ne(await(0, ompt_state_wait_taskwait), 0);
	ck_assert_int_eq(state_of(1, &state, NULL), ompd_rc_unavailable);
}

static const char *const waits[] = {"taskwait", "group"};

START_TEST(test_state_taskwait)
{
	kind = waits[_i];
	oracle_run(task_program, 1, 2, observe_task);
}
END_TEST

static void idle_program(void)
{
#pragma omp parallel num_threads(N)
	oracle_record(omp_get_thread_num());
	oracle_park(N);
}

static void observe_idle(void)
{
	for (int i = 1; i < N; i++)
		await(i, ompt_state_idle);
}

START_TEST(test_state_idle_behind_the_region)
{
	oracle_run(idle_program, 1, N, observe_idle);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("state");
	TCase *state = tcase_create("state");

	tcase_set_timeout(state, 300);
	tcase_add_loop_test(state, test_state_locks, 0, 3);
	tcase_add_test(state, test_state_lock_that_has_its_owner);
	tcase_add_loop_test(state, test_state_barrier, 0, 2);
	tcase_add_loop_test(state, test_state_taskwait, 0, 2);
	tcase_add_test(state, test_state_idle_behind_the_region);
	suite_add_tcase(s, state);
	return check_main(s);
}
