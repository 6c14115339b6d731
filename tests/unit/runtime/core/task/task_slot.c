/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of slots of tasks: they pass from member to member in whole batches, and no slot is given out twice. */
#include "core/task/task_slot.h"

#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "core/icv/icv_copy.h"
#include "core/sync/lock.h"
#include "core/task/depend.h"
#include "core/task/task_member.h"
#include "core/task/task_queue.h"
#include "core/team/registration.h"
#include "os/memory.h"

__thread struct thread thread_tls = {.n_threads = 1};

void thread_register(struct thread *t)
{
	(void)t;
	abort();
}

void lock_acquire_slow(struct lock *lock, ompt_state_t state)
{
	(void)state;
	while (!lock_try(lock))
		sched_yield();
}

void lock_release_slow(struct lock *lock)
{
	(void)lock;
	abort(); /* no thread sleeps */
}

void icv_free_chain(struct icv *icv)
{
	ck_assert_ptr_null(icv);
}

void depend_table_destroy(struct thread *t, struct task *task)
{
	(void)t;
	(void)task;
	abort();
}

void task_queue_deinit(struct task_queue *q)
{
	(void)q;
}

enum { MEMBERS = 3 };

static struct team *team;

static void begin(void)
{
	team = memory_zalloc_line(sizeof(*team) + MEMBERS * sizeof(struct member));
	team->members = team_members(team);
	team->n_threads = MEMBERS;
}

static void end(void)
{
	for (int i = 0; i < MEMBERS; i++)
		task_member_deinit(&team->members[i]);
	task_team_deinit(team);
	free(team);
}

static struct thread *play(uint32_t i)
{
	struct thread *t = thread_peek();

	t->team = team;
	t->member = &team->members[i];
	t->thread_num = i;
	return t;
}

static uint32_t length(const struct task *list)
{
	uint32_t n = 0;

	for (; list; list = list->next)
		ck_assert_uint_lt(n++, 100000);
	return n;
}

static uint32_t n_batches(void)
{
	uint32_t n = 0;

	for (const struct task *batch = team->spare_tasks; batch; batch = batch->scheduling)
		n++;
	return n;
}

/* Frees @n slots of member @from at member @to. */
static void carry(uint32_t from, uint32_t to, uint32_t n)
{
	struct task **slots = calloc(n, sizeof(*slots));

	for (uint32_t i = 0; i < n; i++)
		slots[i] = task_slot_get(play(from));
	for (uint32_t i = 0; i < n; i++)
		task_slot_put(play(to), slots[i]);
	free(slots);
}

START_TEST(who_has_too_many_gives_batches_away)
{
	begin();
	carry(0, 1, 2 * TASK_SLOT_BATCH);
	ck_assert_uint_eq(n_batches(), 1);
	carry(0, 1, 2 * TASK_SLOT_BATCH);
	ck_assert_uint_ge(n_batches(), 1);
	for (const struct task *batch = team->spare_tasks; batch; batch = batch->scheduling)
		ck_assert_uint_eq(length(batch), TASK_SLOT_BATCH);
	end();
}
END_TEST

START_TEST(who_has_none_takes_one_batch)
{
	uint32_t before;

	begin();
	carry(0, 1, 10 * TASK_SLOT_BATCH);
	before = n_batches();
	ck_assert_uint_gt(before, 2);
	task_slot_get(play(2));
	ck_assert_uint_eq(n_batches(), before - 1);
	ck_assert_uint_eq(length(team->members[2].free_tasks), TASK_SLOT_BATCH - 1);
	end();
}
END_TEST

START_TEST(a_member_keeps_two_batches)
{
	begin();
	carry(1, 1, 200);
	/* To and fro: no slot goes to the team. */
	for (int i = 0; i < 10; i++)
		carry(1, 1, 200);
	ck_assert_uint_eq(n_batches(), 0);
	end();
}
END_TEST

START_TEST(memory_is_used_again)
{
	const struct task_slab *slabs;

	begin();
	for (int i = 0; i < 10; i++)
		carry(0, 1, 1000);
	slabs = team->members[0].slabs;
	for (int i = 0; i < 1000; i++)
		carry(0, 1, 1000);
	ck_assert_ptr_eq(team->members[0].slabs, slabs);
	ck_assert_ptr_null(team->members[1].slabs);
	end();
}
END_TEST

/* Members pass slots to each other at random; the owner of a slot writes its number into the slot. */
enum { TABLE = 500, ROUNDS = 30000 };

static struct task *table[TABLE];
static bool failed;

static void *trade(void *arg)
{
	uint32_t me = (uint32_t)(uintptr_t)arg;
	struct thread *t = play(me);
	unsigned seed = me;

	for (int i = 0; i < ROUNDS; i++) {
		struct task *task = NULL;
		size_t at = (size_t)rand_r(&seed) % TABLE;

		if (rand_r(&seed) % 1000 < 500) {
			task = task_slot_get(t);
			if (task->elsewhere != TASK_UNFINISHED || task->n_created || task->priority)
				__atomic_store_n(&failed, true, __ATOMIC_RELAXED);
			task->n_created = 1;
		}
		task = __atomic_exchange_n(&table[at], task, __ATOMIC_ACQ_REL);
		if (!task)
			continue;
		if (task->n_created != 1)
			__atomic_store_n(&failed, true, __ATOMIC_RELAXED);
		task->n_created = 0;
		task_slot_put(t, task);
	}
	return NULL;
}

START_TEST(no_slot_is_given_twice)
{
	pthread_t threads[MEMBERS];

	begin();
	for (uintptr_t i = 0; i < MEMBERS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, trade, (void *)i), 0);
	for (int i = 0; i < MEMBERS; i++)
		pthread_join(threads[i], NULL);
	ck_assert(!failed);
	end();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("runtime/task_slot");
	TCase *tc = tcase_create("task_slot");

	tcase_add_test(tc, who_has_too_many_gives_batches_away);
	tcase_add_test(tc, who_has_none_takes_one_batch);
	tcase_add_test(tc, a_member_keeps_two_batches);
	tcase_add_test(tc, memory_is_used_again);
	tcase_add_test(tc, no_slot_is_given_twice);
	suite_add_tcase(s, tc);

	return check_main(s);
}
