/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of the deque of ready tasks: alone, and with thieves. */
#include "core/task/deque.h"

#include <check.h>
#include <pthread.h>
#include <stdlib.h>

#include "check_main.h"

/* The deque only stores addresses. */
static struct task *number(uintptr_t i)
{
	return (struct task *)(i * 16 + 16);
}

static uintptr_t number_of(const struct task *task)
{
	return ((uintptr_t)task - 16) / 16;
}

static struct task *steal(struct deque *d)
{
	uint64_t place;
	struct task *task = deque_peek_top(d, &place);

	return task && deque_take(d, place) ? task : NULL;
}

START_TEST(empty_gives_nothing)
{
	struct deque d = {0};

	ck_assert_ptr_null(deque_pop(&d));
	ck_assert_ptr_null(deque_peek_bottom(&d));
	ck_assert_ptr_null(steal(&d));
	ck_assert_uint_eq(deque_size(&d), 0);
	deque_push(&d, number(1));
	ck_assert_ptr_eq(deque_pop(&d), number(1));
	ck_assert_ptr_null(deque_pop(&d));
	ck_assert_ptr_null(steal(&d));
	deque_deinit(&d);
}
END_TEST

START_TEST(owner_takes_the_newest_thief_the_oldest)
{
	struct deque d = {0};

	for (uintptr_t i = 0; i < 5; i++)
		deque_push(&d, number(i));
	ck_assert_ptr_eq(deque_peek_bottom(&d), number(4));
	ck_assert_ptr_eq(deque_pop(&d), number(4));
	ck_assert_ptr_eq(steal(&d), number(0));
	ck_assert_ptr_eq(steal(&d), number(1));
	ck_assert_ptr_eq(deque_pop(&d), number(3));
	ck_assert_uint_eq(deque_size(&d), 1);
	ck_assert_ptr_eq(deque_pop(&d), number(2));
	ck_assert_ptr_null(deque_pop(&d));
	deque_deinit(&d);
}
END_TEST

START_TEST(a_look_does_not_take)
{
	struct deque d = {0};
	uint64_t place = 0;

	deque_push(&d, number(7));
	ck_assert_ptr_eq(deque_peek_top(&d, &place), number(7));
	ck_assert_ptr_eq(deque_pop(&d), number(7));
	ck_assert(!deque_take(&d, place)); /* another thread was quicker */
	deque_deinit(&d);
}
END_TEST

START_TEST(it_grows_also_when_its_begin_has_moved)
{
	struct deque d = {0};

	for (uintptr_t i = 0; i < 40; i++)
		deque_push(&d, number(i));
	for (uintptr_t i = 0; i < 30; i++)
		ck_assert_ptr_eq(steal(&d), number(i));
	for (uintptr_t i = 40; i < 1000; i++)
		deque_push(&d, number(i));
	ck_assert_uint_eq(deque_size(&d), 970);
	for (uintptr_t i = 30; i < 500; i++)
		ck_assert_ptr_eq(steal(&d), number(i));
	for (uintptr_t i = 999; i >= 500; i--)
		ck_assert_ptr_eq(deque_pop(&d), number(i));
	ck_assert_ptr_null(deque_pop(&d));
	deque_deinit(&d);
}
END_TEST

/* A thief with a ring that is outgrown meanwhile still finds the old contents there. */
START_TEST(a_thief_may_hold_an_old_ring)
{
	struct deque d = {0};
	uint64_t place = 0;
	struct task *task;

	for (uintptr_t i = 0; i < 3; i++)
		deque_push(&d, number(i));
	task = deque_peek_top(&d, &place);
	struct deque_ring *old = d.ring;
	for (uintptr_t i = 3; i < 5000; i++)
		deque_push(&d, number(i));
	ck_assert_ptr_ne(d.ring, old);
	ck_assert_ptr_eq(old->slots[place & old->mask], number(0));
	ck_assert_ptr_eq(task, number(0));
	ck_assert(deque_take(&d, place));
	ck_assert(!deque_take(&d, place));
	for (uintptr_t i = 1; i < 5000; i++)
		ck_assert_ptr_eq(steal(&d), number(i));
	deque_deinit(&d);
	ck_assert_ptr_null(d.ring);
}
END_TEST

/* The numbers of the places overflow, and the ring is the same. */
START_TEST(places_overflow)
{
	const uint64_t begins[] = {UINT64_MAX - 30, INT64_MAX - 30};
	struct deque d = {.top = begins[_i], .bottom = begins[_i]};

	for (uintptr_t i = 0; i < 100; i++)
		deque_push(&d, number(i));
	ck_assert_uint_eq(deque_size(&d), 100);
	for (uintptr_t i = 0; i < 50; i++)
		ck_assert_ptr_eq(steal(&d), number(i));
	for (uintptr_t i = 99; i >= 50; i--)
		ck_assert_ptr_eq(deque_pop(&d), number(i));
	ck_assert_ptr_null(deque_pop(&d));
	ck_assert_ptr_null(steal(&d));
	ck_assert_uint_eq(deque_size(&d), 0);
	deque_deinit(&d);
}
END_TEST

/* Owner and thief both want the last task: exactly one gets it. */
START_TEST(the_last_one_goes_to_one)
{
	struct deque d = {0};
	uint64_t place = 0;

	for (uintptr_t i = 0; i < 1000; i++) {
		deque_push(&d, number(i));
		ck_assert_ptr_eq(deque_peek_top(&d, &place), number(i));
		if (i % 2) {
			ck_assert(deque_take(&d, place));
			ck_assert_ptr_null(deque_pop(&d));
		} else {
			ck_assert_ptr_eq(deque_pop(&d), number(i));
			ck_assert(!deque_take(&d, place));
		}
		ck_assert_uint_eq(deque_size(&d), 0);
		ck_assert_ptr_null(deque_peek_bottom(&d));
	}
	deque_deinit(&d);
}
END_TEST

enum { TASKS = 300000, THIEVES = 3 };

struct race {
	struct deque d;
	unsigned char *taken; /* how often each task was taken, by number */
	int over;
};

static void take(struct race *race, const struct task *task)
{
	__atomic_add_fetch(&race->taken[number_of(task)], 1, __ATOMIC_RELAXED);
}

static void *thief(void *arg)
{
	struct race *race = arg;
	struct task *task;

	while (!__atomic_load_n(&race->over, __ATOMIC_ACQUIRE))
		if ((task = steal(&race->d)))
			take(race, task);
	return NULL;
}

START_TEST(each_task_is_taken_once)
{
	struct race race = {.taken = calloc(TASKS, 1)};
	pthread_t thieves[THIEVES];
	unsigned seed = 1;
	struct task *task;

	for (int i = 0; i < THIEVES; i++)
		ck_assert_int_eq(pthread_create(&thieves[i], NULL, thief, &race), 0);
	for (uintptr_t i = 0; i < TASKS;) {
		/* Often empty, often with one task, sometimes with many. */
		for (int n = rand_r(&seed) % 4 ? 1 : rand_r(&seed) % 200; n > 0 && i < TASKS; n--)
			deque_push(&race.d, number(i++));
		for (int n = rand_r(&seed) % 3 ? 2 : rand_r(&seed) % 200; n > 0; n--)
			if ((task = deque_pop(&race.d)))
				take(&race, task);
	}
	while (deque_size(&race.d))
		if ((task = deque_pop(&race.d)))
			take(&race, task);
	__atomic_store_n(&race.over, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < THIEVES; i++)
		pthread_join(thieves[i], NULL);
	for (uintptr_t i = 0; i < TASKS; i++)
		ck_assert_int_eq(race.taken[i], 1);
	free(race.taken);
	deque_deinit(&race.d);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("runtime/deque");
	TCase *tc = tcase_create("deque");

	tcase_add_test(tc, empty_gives_nothing);
	tcase_add_test(tc, owner_takes_the_newest_thief_the_oldest);
	tcase_add_test(tc, a_look_does_not_take);
	tcase_add_test(tc, it_grows_also_when_its_begin_has_moved);
	tcase_add_test(tc, a_thief_may_hold_an_old_ring);
	tcase_add_loop_test(tc, places_overflow, 0, 2);
	tcase_add_test(tc, the_last_one_goes_to_one);
	tcase_add_test(tc, each_task_is_taken_once);
	suite_add_tcase(s, tc);

	return check_main(s);
}
