/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of the number of threads of a region, also for regions that a debugger serializes. */
#include "core/team/team_size.h"

#include <pthread.h>
#include <stdlib.h>

#include "check_main.h"
#include "core/state/icv.h"
#include "core/state/task.h"
#include "core/state/team.h"
#include "core/state/thread.h"
#include "core/team/registration.h"
#include "tools/ompd.h"

__thread struct thread thread_tls;
uint64_t ompd_serialize;
extern __typeof(ompd_serialize) ompd_serialize_here __attribute__((alias("ompd_serialize")));

void thread_register(struct thread *t)
{
	(void)t;
	abort();
}

static struct icv icv = {.nthreads = 4, .thread_limit = UINT32_MAX, .max_active_levels = 1};
static struct team team = {.n_threads = 1, .n_busy = 1};
static struct task task = {.icv = &icv};

static struct thread *set_up(void)
{
	struct thread *t = thread_peek();

	*t = (struct thread){.team = &team, .task = &task, .n_threads = 1, .tid = 77};
	return t;
}

/* A debugger writes the whole word at once. */
static void ask(uint32_t regions, uint32_t tid)
{
	__atomic_store_n(&ompd_serialize, (uint64_t)tid << 32 | regions, __ATOMIC_SEQ_CST);
}

START_TEST(by_clause_and_variable)
{
	struct thread *t = set_up();

	ck_assert_uint_eq(team_choose_size(t, 0, 0), 4);
	ck_assert_uint_eq(team_choose_size(t, 3, 0), 3);
	ck_assert_uint_eq(team_choose_size(t, 1, 0), 1);
	ck_assert_uint_eq(t->requested, 0);
	team.active_level = 1;
	ck_assert_uint_eq(team_choose_size(t, 3, 0), 1);
	ck_assert_uint_eq(t->requested, 3);
}
END_TEST

START_TEST(limit_is_reserved_and_given_back)
{
	struct thread *t = set_up();

	icv.thread_limit = 3;
	ck_assert_uint_eq(team_choose_size(t, 0, 0), 3);
	ck_assert_uint_eq(team.n_busy, 3);
	ck_assert_uint_eq(team_choose_size(t, 0, 0), 1);
	team_size_release(t, 3);
	ck_assert_uint_eq(team.n_busy, 1);
	/* A serialized region reserves no threads. */
	ask(1, 0);
	ck_assert_uint_eq(team_choose_size(t, 0, 0), 1);
	ck_assert_uint_eq(team.n_busy, 1);
}
END_TEST

START_TEST(so_many_regions_are_serialized)
{
	struct thread *t = set_up();

	ask(2, 0);
	ck_assert_uint_eq(team_choose_size(t, 0, 0), 1);
	ck_assert_uint_eq(t->requested, 4);
	ck_assert_uint_eq(ompd_serialize, 1);
	ck_assert_uint_eq(team_choose_size(t, 2, 0), 1);
	ck_assert_uint_eq(ompd_serialize, 0);
	ck_assert_uint_eq(team_choose_size(t, 2, 0), 2);
}
END_TEST

START_TEST(regions_of_one_thread_do_not_count)
{
	struct thread *t = set_up();

	ask(1, 0);
	ck_assert_uint_eq(team_choose_size(t, 1, 0), 1);
	team.active_level = 1;
	ck_assert_uint_eq(team_choose_size(t, 0, 0), 1);
	ck_assert_uint_eq(ompd_serialize, 1);
	team.active_level = 0;
	ck_assert_uint_eq(team_choose_size(t, 0, 0), 1);
	ck_assert_uint_eq(ompd_serialize, 0);
}
END_TEST

START_TEST(of_one_thread_only)
{
	struct thread *t = set_up();

	ask(1, 78);
	ck_assert_uint_eq(team_choose_size(t, 0, 0), 4);
	ask(1, 77);
	ck_assert_uint_eq(team_choose_size(t, 0, 0), 1);
	ck_assert_uint_eq(ompd_serialize, 0);
	/* A thread without a count is ignored. */
	ask(0, 77);
	ck_assert_uint_eq(team_choose_size(t, 0, 0), 4);
	ck_assert_uint_eq(ompd_serialize, (uint64_t)77 << 32);
}
END_TEST

enum { THREADS = 4, EACH = 20000, SERIALIZED = 50000 };

static void *begin_regions(void *arg)
{
	struct thread *t = set_up();
	uint32_t *n_serialized = arg;

	for (int i = 0; i < EACH; i++)
		*n_serialized += team_choose_size(t, 0, 0) == 1;
	return NULL;
}

/* Exactly one thread takes each requested region. */
START_TEST(threads_share_the_count)
{
	uint32_t n[THREADS] = {0}, sum = 0;
	pthread_t threads[THREADS];

	ask(SERIALIZED, 0);
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, begin_regions, &n[i]), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum += n[i];
	}
	ck_assert_uint_eq(sum, SERIALIZED);
	ck_assert_uint_eq(ompd_serialize, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("runtime/team_size");
	TCase *tc = tcase_create("team_size");

	tcase_add_test(tc, by_clause_and_variable);
	tcase_add_test(tc, limit_is_reserved_and_given_back);
	tcase_add_test(tc, so_many_regions_are_serialized);
	tcase_add_test(tc, regions_of_one_thread_do_not_count);
	tcase_add_test(tc, of_one_thread_only);
	tcase_add_test(tc, threads_share_the_count);
	suite_add_tcase(s, tc);

	return check_main(s);
}
