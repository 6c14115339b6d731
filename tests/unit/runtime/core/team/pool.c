/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tests of threads in their seats. They are called, also in their sleep, several with one system call, and woken for
 * tasks.
 */
#include "core/team/pool.h"

#include <check.h>
#include <pthread.h>
#include <stdlib.h>

#include "check_main.h"
#include "core/affinity/affinity_format.h"
#include "core/affinity/places.h"
#include "core/loop/loop.h"
#include "core/state/icv.h"
#include "core/state/root.h"
#include "core/state/task.h"
#include "core/state/team.h"
#include "core/state/thread.h"
#include "core/sync/sleep.h"
#include "core/sync/wait.h"
#include "core/sync/wake.h"
#include "core/task/task_member.h"
#include "core/task/task_run.h"
#include "core/team/barrier.h"
#include "core/team/pool_thread.h"
#include "core/team/registration.h"
#include "core/team/team_memory.h"
#include "core/team/thread_life.h"
#include "core/team/tool_region.h"
#include "os/fence.h"
#include "os/memory.h"
#include "syscall_of.h"
#include "tools/ompt.h"

__thread struct thread thread_tls = {.n_threads = 1};
struct icv_process icv_process = {.num_procs = 1, .throttled_spin = true}; /* GOMP_SPINCOUNT=0: they sleep at once */
struct root runtime_root = {.n_threads = 1};

enum { N_SLEEPERS = 6, N_THREADS_MAX = 40 };

static uint32_t n_ended;			       /* threads that have reached the region's end; atomic */
static uint32_t ready;				       /* tasks; atomic */
static uint32_t n_executed, n_wakes, n_sleeps, n_gone; /* atomic */
static uint32_t n_sleeps_of[N_THREADS_MAX];	       /* by thread_num; atomic */

static uint32_t load(const uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}

/* Stubs of the functions that a pool calls. */
struct team *team_create(uint32_t capacity)
{
	struct team *team = memory_zalloc_line(sizeof(*team) + capacity * sizeof(struct member));

	team->capacity = capacity;
	team->members = team_members(team);
	return team;
}

void team_destroy(struct team *team)
{
	free(team);
}

void thread_enter(struct thread *t)
{
	t->spins = 0;
	__atomic_fetch_add(&runtime_root.n_threads, 1, __ATOMIC_SEQ_CST);
}

void thread_leave(struct thread *t)
{
	(void)t;
	__atomic_fetch_sub(&runtime_root.n_threads, 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&n_gone, 1, __ATOMIC_SEQ_CST);
}

void thread_register(struct thread *t)
{
	(void)t;
	abort();
}

void task_init(struct task *task, enum task_kind kind, struct task *parent, struct team *team, uint32_t epoch,
	       uint32_t thread_num, const struct icv *icv)
{
	*task = (struct task){.kind = kind, .parent = parent, .team = team, .thread_num = thread_num, .icv = icv};
	task->sequence = epoch;
}

void task_deinit(struct task *task)
{
	(void)task;
}

bool task_run_one(struct thread *t)
{
	uint32_t n = load(&ready);

	(void)t;
	while (n)
		if (__atomic_compare_exchange_n(&ready, &n, n - 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
			__atomic_fetch_add(&n_executed, 1, __ATOMIC_SEQ_CST);
			return true;
		}
	return false;
}

bool task_team_is_done(struct team *team)
{
	(void)team;
	return false;
}

void barrier_end_arrive(struct team *team, uint32_t last)
{
	(void)team;
	(void)last;
	__atomic_fetch_add(&n_ended, 1, __ATOMIC_SEQ_CST);
}

void loop_join_region(struct thread *t)
{
	(void)t;
}

void places_bind(struct thread *t, struct placement where)
{
	(void)t;
	(void)where;
}

void affinity_display(const struct thread *t, const char *format)
{
	(void)t;
	(void)format;
}

/* Stubs for regions that a tool sees. */
void ompt_member_begin(struct thread *t)
{
	(void)t;
	abort();
}

void tool_region_run(void *data)
{
	(void)data;
	abort();
}

static void nothing(void *data)
{
	(void)data;
}

/* Sets up a pool with all seats taken. Its team executes an empty region, as team_begin() starts it. */
static struct pool *pool;
static uint32_t n_regions, n_members;

static void begin_region(uint32_t n_threads)
{
	struct team *team = pool->team;
	uint32_t bits = 0;

	n_regions++;
	n_members += n_threads - 1;
	team->n_threads = n_threads;
	__atomic_store_n(&team->epoch, 1000 + n_regions, __ATOMIC_RELAXED);
	__atomic_store_n(&team->in_use, 1, __ATOMIC_RELEASE);
	for (uint32_t i = 0; i + 1 < n_threads; i++) {
		struct seat *seat = pool->seats[i];

		seat->fn = nothing;
		seat->team = team;
		seat->n_threads = n_threads;
		seat->epoch = 1000 + n_regions;
		bits |= seat_call(seat);
	}
	if (bits)
		pool_ring(pool, bits);
}

static void end_region(void)
{
	while (load(&n_ended) < n_members)
		sched_yield();
}

static bool wakes_before_fence, has_woken; /* atomic: a request for the next fence, and whether it is done */

static bool count(long number, const long *args)
{
	if (number == SYS_membarrier && __atomic_exchange_n(&wakes_before_fence, false, __ATOMIC_SEQ_CST)) {
		barrier_wake(pool->team, false);
		__atomic_store_n(&has_woken, true, __ATOMIC_SEQ_CST);
	}
	if (is_wake(number, args))
		__atomic_fetch_add(&n_wakes, 1, __ATOMIC_SEQ_CST);
	if (is_sleep(number, args)) {
		__atomic_fetch_add(&n_sleeps, 1, __ATOMIC_SEQ_CST);
		__atomic_fetch_add(&n_sleeps_of[thread_peek()->thread_num], 1, __ATOMIC_SEQ_CST);
	}
	return true;
}

static void set_up(uint32_t n_threads)
{
	before_syscall = count;
	wait_init();
	pool = pool_prepare(thread_peek(), n_threads);
	for (uint32_t i = 0; i + 1 < n_threads; i++)
		pool_start_thread(pool, pool->seats[i]);
	while (load(&runtime_root.n_threads) < n_threads)
		usleep(1000);
}

/* Waits until only the calling thread is awake. */
static void wait_for_sleep(void)
{
	icv_process.num_procs = 1;
	while (wait_is_crowded())
		usleep(1000);
}

/* A thread counted as asleep may still be on its way: waits until each of the first threads has slept @n times. */
static void wait_for_sleeps(uint32_t n_threads, uint32_t n)
{
	wait_for_sleep();
	for (uint32_t i = 1; i < n_threads; i++)
		while (load(&n_sleeps_of[i]) < n)
			usleep(1000);
}

static void tear_down(uint32_t n_threads)
{
	pool_destroy(pool);
	while (load(&n_gone) < n_threads - 1)
		usleep(1000);
}

START_TEST(sleepers_are_called_by_one_system_call)
{
	uint32_t before;

	set_up(N_SLEEPERS);
	for (uint32_t i = 0; i < 3; i++) {
		wait_for_sleeps(N_SLEEPERS, i + 1);
		before = load(&n_wakes);
		begin_region(N_SLEEPERS);
		ck_assert_uint_eq(load(&n_wakes), before + 1);
		end_region();
	}
	/* Threads that are not called stay asleep. */
	wait_for_sleeps(N_SLEEPERS, 4);
	before = load(&n_sleeps);
	begin_region(3);
	end_region();
	wait_for_sleeps(3, 5);
	ck_assert_uint_eq(load(&n_sleeps), before + 2);
	tear_down(N_SLEEPERS);
}
END_TEST

/* A thread is woken for a task while it goes to sleep, but another thread has taken the task: then it is called. */
START_TEST(who_was_woken_for_nothing_is_called)
{
	set_up(2);
	wait_for_sleep();
	if (!fence_works())
		exit(0);						     /* no fence is available here */
	__atomic_store_n(&sleep_fences, SLEEP_FENCED_ALL, __ATOMIC_SEQ_CST); /* so that a fence is available */
	__atomic_store_n(&wakes_before_fence, true, __ATOMIC_SEQ_CST);
	begin_region(2);
	end_region();
	while (!__atomic_load_n(&has_woken, __ATOMIC_SEQ_CST))
		usleep(1000);
	wait_for_sleep();
	begin_region(2);
	end_region();
	tear_down(2);
}
END_TEST

START_TEST(tasks_wake_who_is_in_the_region)
{
	enum { N = 4 };

	set_up(N);
	begin_region(N);
	end_region();
	wait_for_sleep();
	__atomic_store_n(&pool->team->has_tasks, pool->team->epoch, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < 100; i++) {
		__atomic_fetch_add(&ready, 1, __ATOMIC_SEQ_CST);
		barrier_wake(pool->team, false);
		while (load(&n_executed) <= i)
			sched_yield();
	}
	__atomic_store_n(&pool->team->has_tasks, 0, __ATOMIC_SEQ_CST);
	pool_wait_helpers(pool->team);
	tear_down(N);
}
END_TEST

/* More threads than bits, and teams of different sizes; some threads sleep, some do not yet. */
START_TEST(many_regions)
{
	enum { N = N_THREADS_MAX, REGIONS = 400 };

	set_up(N);
	for (uint32_t i = 0; i < REGIONS; i++) {
		begin_region(2 + i * 7 % (N - 1));
		end_region();
		if (i % 50 == 0)
			wait_for_sleep();
	}
	tear_down(N);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("runtime/pool");
	TCase *tc = tcase_create("pool");

	tcase_add_test(tc, sleepers_are_called_by_one_system_call);
	tcase_add_test(tc, who_was_woken_for_nothing_is_called);
	tcase_add_test(tc, tasks_wake_who_is_in_the_region);
	tcase_add_test(tc, many_regions);
	suite_add_tcase(s, tc);

	return check_main(s);
}
