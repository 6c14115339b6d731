/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Our runtime: the members of a team are known as soon as the primary thread has chosen them. A
 * called or created member may not have run yet.
 */
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>

#include "check_main.h"
#include "libompd_oracle.h"
#include "self_target.h"

/* The thread that does not run: it is in a signal handler, or has not reached its start. */
static sem_t held, release;
static pthread_t late;
static int hold_next_thread;

static void hold(int sig)
{
	(void)sig;
	sem_post(&held);
	while (sem_wait(&release))
		continue;
}

struct start {
	void *(*routine)(void *);
	void *arg;
};

static void *start_late(void *memory)
{
	struct start start = *(struct start *)memory;

	free(memory);
	while (sem_wait(&release))
		continue;
	return start.routine(start.arg);
}

/* The runtime's threads are created through this function too. */
__attribute__((visibility("default"))) int pthread_create(pthread_t *id, const pthread_attr_t *attr,
							  void *(*routine)(void *), void *arg)
{
	static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	if (!next)
		next = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT,
												      "pthread_create");
	if (!__atomic_exchange_n(&hold_next_thread, 0, __ATOMIC_RELAXED))
		return next(id, attr, routine, arg);
	struct start *start = malloc(sizeof(*start));

	*start = (struct start){routine, arg};
	int rc = next(id, attr, start_late, start);

	late = *id;
	return rc;
}

static void region(void)
{
#pragma omp parallel num_threads(3)
	oracle_park(omp_get_thread_num());
}

/* One of three threads is in a signal handler while the region starts. */
static void program_called(void)
{
	struct sigaction action = {.sa_handler = hold};
	pthread_t members[3];

	omp_set_dynamic(0);
#pragma omp parallel num_threads(3)
	members[omp_get_thread_num()] = pthread_self();
	sigaction(SIGUSR2, &action, NULL);
	late = members[1];
	pthread_kill(late, SIGUSR2);
	sem_wait(&held);
	region();
}

/* The second of three threads is being created. */
static void program_made(void)
{
	omp_set_dynamic(0);
	hold_next_thread = 1;
	region();
}

/* The same in a team that is larger than all earlier teams, in other memory. */
static void program_larger(void)
{
	omp_set_dynamic(0);
#pragma omp parallel num_threads(2)
	late = pthread_self();
	hold_next_thread = 1;
	region();
}

static void check_same_task(ompd_task_handle_t *a, ompd_task_handle_t *b)
{
	int cmp = -1;

	ck_assert_int_eq(ompd_task_handle_compare(a, b, &cmp), ompd_rc_ok);
	ck_assert_int_eq(cmp, 0);
}

static void check_same_thread(ompd_thread_handle_t *a, ompd_thread_handle_t *b)
{
	int cmp = -1;

	ck_assert_int_eq(ompd_thread_handle_compare(a, b, &cmp), ompd_rc_ok);
	ck_assert_int_eq(cmp, 0);
}

/* The values that its task will start with are known: all members' tasks start with them. */
static void check_task(ompd_task_handle_t *task, ompd_task_handle_t *of_primary)
{
	ompd_task_handle_t *parent, *parent_of_primary;
	ompd_address_t function, function_of_primary;
	ompd_frame_info_t leave, enter;
	ompd_word_t value = -1;

	ck_assert_int_eq(ompd_get_task_function(task, &function), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_task_function(of_primary, &function_of_primary), ompd_rc_ok);
	ck_assert_uint_eq(function.address, function_of_primary.address);
	ck_assert_int_eq(ompd_get_task_frame(task, &leave, &enter), ompd_rc_ok);
	ck_assert_uint_eq(leave.frame_address.address, 0);
	ck_assert_uint_eq(enter.frame_address.address, 0);
	ck_assert_int_eq(ompd_get_generating_task_handle(task, &parent), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_generating_task_handle(of_primary, &parent_of_primary), ompd_rc_ok);
	check_same_task(parent, parent_of_primary);
	ck_assert_int_eq(oracle_icv(task, ompd_scope_task, "implicit-task-var", &value), ompd_rc_ok);
	ck_assert_int_eq(value, 1);
	ck_assert_int_eq(oracle_icv(task, ompd_scope_task, "nthreads-var", &value), ompd_rc_ok);
	ck_assert_int_eq(value, oracle_view(0)->max_threads);
	ck_assert_int_eq(ompd_get_scheduling_task_handle(task, &parent), ompd_rc_unavailable);
	ompd_rel_task_handle(parent);
	ompd_rel_task_handle(parent_of_primary);
}

/* The numbers of devices are those that the runtime's routines return. */
static void check_devices(void)
{
	ompd_word_t value = -1;

	ck_assert_int_eq(oracle_icv(oracle_process, ompd_scope_address_space, "num-devices-var", &value), ompd_rc_ok);
	ck_assert_int_eq(value, omp_get_num_devices());
	ck_assert_int_eq(oracle_icv(oracle_process, ompd_scope_address_space, "device-num-var", &value), ompd_rc_ok);
	ck_assert_int_eq(value, omp_get_device_num());
}

static void check_late(ompd_parallel_handle_t *team, int number)
{
	ompd_thread_handle_t *thread, *by_id;
	ompd_parallel_handle_t *current;
	ompd_task_handle_t *task, *by_number, *of_primary;
	uint64_t id = (uint64_t)late, found = 0;
	ompd_word_t state = -1, value = -1;
	int cmp = -1;

	ck_assert_int_eq(ompd_get_thread_in_parallel(team, number, &thread), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_thread_id(thread, OMPD_THREAD_ID_PTHREAD, sizeof(found), &found), ompd_rc_ok);
	ck_assert_uint_eq(found, id);
	ck_assert_int_eq(ompd_get_thread_handle(oracle_process, OMPD_THREAD_ID_PTHREAD, sizeof(id), &id, &by_id),
			 ompd_rc_ok);
	check_same_thread(thread, by_id);
	check_devices();
	ck_assert_int_eq(ompd_get_state(by_id, &state, NULL), ompd_rc_ok);
	ck_assert_int_eq(state, ompt_state_overhead);
	ck_assert_int_eq(oracle_icv(by_id, ompd_scope_thread, "thread-num-var", &value), ompd_rc_ok);
	ck_assert_int_eq(value, number);
	ck_assert_int_eq(ompd_get_curr_parallel_handle(by_id, &current), ompd_rc_ok);
	ck_assert_int_eq(ompd_parallel_handle_compare(current, team, &cmp), ompd_rc_ok);
	ck_assert_int_eq(cmp, 0);
	ck_assert_int_eq(ompd_get_curr_task_handle(by_id, &task), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_task_in_parallel(team, number, &by_number), ompd_rc_ok);
	check_same_task(task, by_number);
	ck_assert_int_eq(ompd_get_task_in_parallel(team, 0, &of_primary), ompd_rc_ok);
	check_task(task, of_primary);
	ompd_rel_task_handle(of_primary);
	ompd_rel_task_handle(by_number);
	ompd_rel_task_handle(task);
	ompd_rel_parallel_handle(current);
	ompd_rel_thread_handle(by_id);
	ompd_rel_thread_handle(thread);
}

/* All members except the blocked one are parked in the region. */
static void observe(void)
{
	ompd_thread_handle_t *primary = oracle_thread(oracle_view(0)), *thread;
	ompd_parallel_handle_t *team;
	int number = 1;

	while (number < 3) {
		bool is_parked = false;

		for (int i = 0; i < oracle_count; i++)
			is_parked |= oracle_views[i].tag == number;
		if (!is_parked)
			break;
		number++;
	}
	ck_assert_int_eq(ompd_get_curr_parallel_handle(primary, &team), ompd_rc_ok);
	check_late(team, number);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(ompd_get_thread_in_parallel(team, i, &thread), ompd_rc_ok);
		ompd_rel_thread_handle(thread);
	}
	ompd_rel_parallel_handle(team);
	ompd_rel_thread_handle(primary);
	sem_post(&release);
}

static void setup(void)
{
	sem_init(&held, 0, 0);
	sem_init(&release, 0, 0);
}

START_TEST(test_members_one_that_was_called)
{
	oracle_run(program_called, 2, 0, observe);
}
END_TEST

START_TEST(test_members_one_that_was_made)
{
	oracle_run(program_made, 2, 0, observe);
}
END_TEST

START_TEST(test_members_of_a_larger_team)
{
	oracle_run(program_larger, 2, 0, observe);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("members");
	TCase *tcase = tcase_create("members");

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_test(tcase, test_members_one_that_was_called);
	tcase_add_test(tcase, test_members_one_that_was_made);
	tcase_add_test(tcase, test_members_of_a_larger_team);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
