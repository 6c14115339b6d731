/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tests of a task that waits for others: it runs ready tasks, sleeps without any, and misses neither a task nor the
 * end.
 */
#include "core/task/task_wait.h"

#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "check_main.h"
#include "core/state/icv.h"
#include "core/state/root.h"
#include "core/state/team.h"
#include "core/sync/wait.h"
#include "core/sync/wake.h"
#include "core/task/task_run.h"
#include "os/memory.h"
#include "syscall_of.h"

__thread struct thread thread_tls = {.n_threads = 1};
struct icv_process icv_process = {.num_procs = 1, .throttled_spin = true}; /* GOMP_SPINCOUNT=0: sleeps at once */
struct root runtime_root = {.n_threads = 2};

/* A team of two: member 0 waits, and the test's own thread acts as member 1. */
static struct team *team;
static struct task waiting;		       /* member 0's */
static struct task child;		       /* stands for every task that it executes */
static int32_t pending;			       /* the awaited value; atomic */
static uint32_t ready;			       /* ready tasks; atomic */
static uint32_t n_executed, n_sleeps, n_ended; /* atomic */

struct task *task_find(struct thread *t, const struct task *ancestor)
{
	uint32_t n = __atomic_load_n(&ready, __ATOMIC_ACQUIRE);

	(void)t;
	ck_assert_ptr_eq(ancestor, &waiting);
	while (n)
		if (__atomic_compare_exchange_n(&ready, &n, n - 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return &child;
	return NULL;
}

void task_execute(struct thread *t, struct task *task)
{
	(void)t;
	ck_assert_ptr_eq(task, &child);
	__atomic_fetch_add(&n_executed, 1, __ATOMIC_RELEASE);
}

static uint32_t load(const uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}

static bool no_fence;

static bool count(long number, const long *args)
{
	if (is_sleep(number, args))
		__atomic_fetch_add(&n_sleeps, 1, __ATOMIC_SEQ_CST);
	if (number == SYS_membarrier && no_fence)
		errno = ENOSYS;
	return number != SYS_membarrier || !no_fence;
}

static void count_ends(long result)
{
	if (result < 0 && errno == ETIMEDOUT)
		__atomic_fetch_add(&n_ended, 1, __ATOMIC_SEQ_CST);
}

static void *member_0(void *arg)
{
	struct thread *t = thread_peek();

	t->team = team;
	t->member = &team->members[0];
	t->task = &waiting;
	t->n_threads = 2;
	t->state = ompt_state_work_parallel;
	task_wait(t, *(const struct task_condition *)arg, ompt_state_wait_taskwait, (struct site){0});
	ck_assert_uint_eq(t->state, ompt_state_work_parallel);
	return NULL;
}

static pthread_t begin(const struct task_condition *until, bool (*hook)(long number, const long *args))
{
	pthread_t thread;

	team = memory_zalloc_line(sizeof(*team) + 2 * sizeof(struct member));
	team->members = team_members(team);
	team->n_threads = 2;
	wait_init();
	before_syscall = hook;
	after_sleep = count_ends;
	ck_assert_int_eq(pthread_create(&thread, NULL, member_0, (void *)until), 0);
	return thread;
}

static void finish(pthread_t thread)
{
	pthread_join(thread, NULL);
	ck_assert_uint_eq(team->n_sleepers, 0);
	ck_assert_uint_eq(team->members[0].asleep, 0);
	ck_assert(wait_is_crowded());
	free(team);
}

static void make_task(void)
{
	__atomic_fetch_add(&ready, 1, __ATOMIC_RELEASE);
	task_wake_sleepers(team);
}

static void end_wait(void)
{
	__atomic_sub_fetch(&pending, 1, __ATOMIC_RELEASE);
	task_wake(&team->members[0]);
}

static const struct task_condition until_pending = {.pending = &pending};

START_TEST(it_is_woken_by_tasks_and_by_the_end)
{
	pthread_t thread;

	pending = 1;
	thread = begin(&until_pending, count);
	while (wait_is_crowded()) /* the sleeping thread is counted */
		usleep(1000);
	ck_assert_uint_eq(load(&team->n_sleepers), 1);
	make_task();
	while (load(&n_executed) < 1 || load(&n_sleeps) < 2)
		usleep(1000);
	end_wait();
	finish(thread);
	ck_assert_uint_eq(n_executed, 1);
}
END_TEST

START_TEST(children_and_groups_end_it_too)
{
	struct taskgroup group = {.elsewhere = 1};
	const struct task_condition until = {.group = _i ? &group : NULL};
	pthread_t thread;

	waiting.n_created = 1;
	thread = begin(&until, count);
	while (load(&n_sleeps) < 1)
		usleep(1000);
	if (_i)
		__atomic_sub_fetch(&group.elsewhere, 1, __ATOMIC_RELEASE);
	else
		__atomic_add_fetch(&waiting.elsewhere, 1, __ATOMIC_RELEASE);
	task_wake(&team->members[0]);
	finish(thread);
}
END_TEST

/* A task is created while the thread goes to sleep: before its last check, or after it. */
static long change_at;

static bool make_task_before(long number, const long *args)
{
	if (number == change_at && (number != SYS_futex || is_sleep(number, args))) {
		change_at = -1;
		make_task();
	}
	return count(number, args);
}

START_TEST(a_task_that_is_made_meanwhile_is_found)
{
	pthread_t thread;

	pending = 1;
	change_at = _i ? SYS_futex : SYS_membarrier;
	thread = begin(&until_pending, make_task_before);
	while (load(&n_executed) < 1)
		usleep(1000);
	end_wait();
	finish(thread);
}
END_TEST

/* Its sleep has no time limit: a single missed wake is fatal. */
enum { TASKS = 20000, MAX_PAUSES = 60 };

START_TEST(no_task_is_missed)
{
	pthread_t thread;

	pending = 1;
	thread = begin(&until_pending, count);
	for (uint32_t i = 0; i < TASKS; i++) {
		for (uint32_t p = i * 7 % MAX_PAUSES; p; p--)
			spin_pause();
		make_task();
		while (load(&n_executed) <= i)
			sched_yield();
	}
	end_wait();
	finish(thread);
	ck_assert_uint_gt(n_sleeps, 0);
}
END_TEST

START_TEST(without_fences_it_looks_now_and_then)
{
	pthread_t thread;

	no_fence = true;
	pending = 1;
	thread = begin(&until_pending, count);
	while (load(&n_ended) < 20)
		usleep(1000);
	__atomic_store_n(&pending, 0, __ATOMIC_RELEASE); /* as if the sleep had not been seen */
	finish(thread);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("runtime/task_wait");
	TCase *tc = tcase_create("task_wait");

	tcase_add_test(tc, it_is_woken_by_tasks_and_by_the_end);
	tcase_add_loop_test(tc, children_and_groups_end_it_too, 0, 2);
	tcase_add_loop_test(tc, a_task_that_is_made_meanwhile_is_found, 0, 2);
	tcase_add_test(tc, no_task_is_missed);
	tcase_add_test(tc, without_fences_it_looks_now_and_then);
	suite_add_tcase(s, tc);

	return check_main(s);
}
