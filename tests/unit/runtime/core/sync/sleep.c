/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Going to sleep and waking: a change that comes at any moment of it is not missed; with real threads, many times. */
#include "core/sync/sleep.h"

#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "check_main.h"
#include "core/state/icv.h"
#include "core/state/root.h"
#include "core/state/thread.h"
#include "core/sync/wait.h"
#include "os/fence.h"
#include "os/futex.h"
#include "syscall_of.h"

__thread struct thread thread_tls = {.n_threads = 1};
struct icv_process icv_process = {.num_procs = 1};
struct root runtime_root = {.n_threads = 2};

static uint32_t change, asleep;			      /* the awaited value, and the sleeper's word; atomic */
static uint32_t n_sleeps, n_wakes, n_fences, n_ended; /* atomic */

static uint32_t load(const uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}

static bool count(long number, const long *args)
{
	if (is_sleep(number, args))
		__atomic_fetch_add(&n_sleeps, 1, __ATOMIC_SEQ_CST);
	if (is_wake(number, args))
		__atomic_fetch_add(&n_wakes, 1, __ATOMIC_SEQ_CST);
	if (number == SYS_membarrier)
		__atomic_fetch_add(&n_fences, 1, __ATOMIC_SEQ_CST);
	return true;
}

/* Step P3 of core/sync/sleep.h, which may come at any moment. */
static void fence_all_again(void)
{
	uint32_t each = SLEEP_FENCED_EACH;

	__atomic_compare_exchange_n(&sleep_fences, &each, SLEEP_FENCED_ALL, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* Steps a to c. */
static void make_change(void)
{
	__atomic_store_n(&change, 1, __ATOMIC_RELEASE);
	sleeper_wake(&asleep);
}

/* Steps 1 to 5, once. Returns whether it went to sleep. */
static bool sleep_once(void)
{
	bool sleeps;
	uint32_t ns;

	sleeper_announce(&asleep);
	ns = sleep_prepare();
	sleeps = !__atomic_load_n(&change, __ATOMIC_ACQUIRE);
	if (sleeps)
		sleeper_sleep(&asleep, ns);
	sleeper_get_up(&asleep);
	return sleeps;
}

START_TEST(nobody_sleeps_no_system_call)
{
	before_syscall = count;
	make_change();
	ck_assert_uint_eq(n_sleeps + n_wakes, 0);
}
END_TEST

/* The change comes at the start of a system call. */
static long change_at;

static bool change_before(long number, const long *args)
{
	if (number == change_at && (number != SYS_futex || is_sleep(number, args))) {
		change_at = -1;
		make_change();
	}
	return count(number, args);
}

START_TEST(a_change_before_the_fence_is_seen)
{
	change_at = SYS_membarrier;
	before_syscall = change_before;
	ck_assert(!sleep_once());
	ck_assert_uint_eq(n_sleeps, 0);
	ck_assert_uint_eq(asleep, 0);
}
END_TEST

START_TEST(a_change_before_the_sleep_prevents_it)
{
	change_at = SYS_futex;
	before_syscall = change_before;
	ck_assert(sleep_once()); /* and comes back: otherwise this hangs */
	ck_assert_uint_eq(n_sleeps, 1);
	ck_assert_uint_eq(n_wakes, 1);
	ck_assert_uint_eq(asleep, 0);
}
END_TEST

static void *sleeper(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&change, __ATOMIC_ACQUIRE))
		sleep_once();
	return NULL;
}

START_TEST(a_change_during_the_sleep_ends_it)
{
	pthread_t thread;

	before_syscall = count;
	ck_assert(wait_is_crowded());
	ck_assert_int_eq(pthread_create(&thread, NULL, sleeper, NULL), 0);
	while (wait_is_crowded()) /* the sleeping thread is counted */
		usleep(1000);
	/* A wake without a change has no effect. */
	sleeper_wake(&asleep);
	while (load(&n_sleeps) < 2)
		usleep(1000);
	make_change();
	pthread_join(thread, NULL);
	ck_assert(wait_is_crowded());
	ck_assert_uint_eq(asleep, 0);
}
END_TEST

static bool no_fence(long number, const long *args)
{
	(void)args;
	if (number == SYS_membarrier)
		errno = ENOSYS;
	return number != SYS_membarrier;
}

static void count_ends(long result)
{
	if (result < 0 && errno == ETIMEDOUT)
		__atomic_fetch_add(&n_ended, 1, __ATOMIC_SEQ_CST);
}

/* A thread that changes the word may have missed the sleeper: the sleeper checks by itself. */
START_TEST(without_fences_sleeps_are_short)
{
	pthread_t thread;

	before_syscall = no_fence;
	after_sleep = count_ends;
	ck_assert_int_eq(pthread_create(&thread, NULL, sleeper, NULL), 0);
	while (load(&n_ended) < 20)
		usleep(1000);
	__atomic_store_n(&change, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	ck_assert(!fence_works());
}
END_TEST

START_TEST(a_fence_may_be_forbidden_later)
{
	before_syscall = count;
	ck_assert(!fence_works());
	if (sleep_prepare())
		exit(0); /* no fence is available here */
	ck_assert(fence_works());
	before_syscall = no_fence;
	fence_all_again();
	ck_assert_uint_gt(sleep_prepare(), 0);
	ck_assert(!fence_works());
	ck_assert_uint_eq(sleep_fences, SLEEP_FENCED_ALL);
}
END_TEST

START_TEST(frequent_sleeps_share_one_fence_of_all)
{
	uint32_t at_first;

	before_syscall = count;
	if (sleep_prepare())
		exit(0); /* no fence is available here */
	ck_assert_uint_eq(sleep_fences, SLEEP_FENCED_EACH);
	ck_assert_uint_gt(at_first = n_fences, 0); /* the first thread may have to announce its request */
	for (uint32_t i = 0; i < 10 * SLEEP_IS_RARE; i++) {
		make_change();
		if (i % SLEEP_IS_RARE == 0)
			ck_assert_uint_eq(sleep_prepare(), 0);
	}
	ck_assert_uint_eq(sleep_fences, SLEEP_FENCED_EACH);
	ck_assert_uint_eq(n_fences, at_first);
}
END_TEST

START_TEST(changes_without_sleeps_have_no_fence)
{
	if (sleep_prepare())
		exit(0); /* no fence is available here */
	for (uint32_t i = 0; i <= SLEEP_IS_RARE; i++) {
		ck_assert_uint_eq(sleep_fences, SLEEP_FENCED_EACH);
		make_change();
	}
	ck_assert_uint_eq(sleep_fences, SLEEP_FENCED_ALL);
	before_syscall = count;
	ck_assert_uint_eq(sleep_prepare(), 0);
	ck_assert_uint_eq(n_fences, 1);
}
END_TEST

/* Another thread's fence of all threads is under way: some changing threads may not have one yet. */
START_TEST(who_comes_between_has_a_fence_of_his_own)
{
	before_syscall = count;
	sleep_fences = SLEEP_FENCED_BOTH;
	if (sleep_prepare())
		exit(0); /* no fence is available here */
	ck_assert_uint_gt(n_fences, 0);
	ck_assert_uint_eq(sleep_fences, SLEEP_FENCED_BOTH);
}
END_TEST

/* A thread that was about to sleep when the process forked does not exist in the child. */
START_TEST(a_child_begins_with_fences_of_all)
{
	sleep_fences = SLEEP_FENCED_BOTH;
	sleep_forget_others();
	if (sleep_prepare())
		exit(0); /* no fence is available here */
	ck_assert_uint_eq(sleep_fences, SLEEP_FENCED_EACH);
}
END_TEST

START_TEST(a_sleep_has_an_end)
{
	before_syscall = count;
	sleep_on(&asleep, 0, 1000000);
	sleep_on_bits(&asleep, 0, 4, 1000000);
	sleep_on(&asleep, 1, 0); /* it is something else */
	ck_assert_uint_eq(n_sleeps, 3);
	ck_assert(wait_is_crowded());
}
END_TEST

/* The litmus test of core/sync/sleep.h: both threads start a round at once, and at least one of them sees the other. */
enum { ROUNDS = 20000, OFFSETS = 32, PATIENCE = 1000 };

static struct {
	uint32_t begun __attribute__((aligned(CACHE_LINE)));
	uint32_t said __attribute__((aligned(CACHE_LINE)));
	uint32_t what __attribute__((aligned(CACHE_LINE)));
} litmus; /* atomic */
static bool saw[2][ROUNDS + 1];

static void begin_together(uint32_t round)
{
	__atomic_fetch_add(&litmus.begun, 1, __ATOMIC_ACQ_REL);
	for (uint32_t i = 0; __atomic_load_n(&litmus.begun, __ATOMIC_ACQUIRE) < 2 * round; i++)
		if (i > PATIENCE)
			sched_yield();
}

static void *change_what(void *arg)
{
	(void)arg;
	for (uint32_t i = 1; i <= ROUNDS; i++) {
		begin_together(i);
		for (uint32_t offset = i % OFFSETS; offset; offset--)
			__atomic_signal_fence(__ATOMIC_SEQ_CST);
		__atomic_store_n(&litmus.what, i, __ATOMIC_RELEASE);
		saw[1][i] = sleep_is_said(&litmus.said) == i;
	}
	return NULL;
}

/* Changes meanwhile which threads have the fence: steps P2 and P3. */
static bool litmus_is_over; /* atomic */

static void *change_fences(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&litmus_is_over, __ATOMIC_RELAXED)) {
		fence_all_again();
		sched_yield();
		sleep_prepare();
	}
	return NULL;
}

/* _i: whether they are changed all the time. */
START_TEST(one_of_both_sees_the_other)
{
	pthread_t changer, third;

	ck_assert_int_eq(pthread_create(&changer, NULL, change_what, NULL), 0);
	if (_i)
		ck_assert_int_eq(pthread_create(&third, NULL, change_fences, NULL), 0);
	for (uint32_t i = 1; i <= ROUNDS; i++) {
		begin_together(i);
		__atomic_store_n(&litmus.said, i, __ATOMIC_RELAXED);
		if (sleep_prepare())
			exit(0); /* no fence is available here */
		saw[0][i] = __atomic_load_n(&litmus.what, __ATOMIC_ACQUIRE) == i;
		if (i % 16 == 0)
			fence_all_again();
	}
	__atomic_store_n(&litmus_is_over, true, __ATOMIC_RELAXED);
	pthread_join(changer, NULL);
	if (_i)
		pthread_join(third, NULL);
	for (uint32_t i = 1; i <= ROUNDS; i++)
		ck_assert_msg(saw[0][i] || saw[1][i], "round %u", i);
}
END_TEST

/*
 * Two threads throw a ball to each other and sleep until it comes, at once or after some pauses: step 3 meets step b at
 * all distances. A sleep has no time limit: after a single missed wake, both sleep for ever.
 */
enum { PLAYERS = 2, THROWS = 20000, MAX_PAUSES = 60 };

static struct player {
	uint32_t ball; /* the number of the throw; atomic */
	uint32_t asleep __attribute__((aligned(CACHE_LINE)));
	uint64_t luggage; /* passed on with the ball */
} players[PLAYERS] __attribute__((aligned(CACHE_LINE)));

static void throw_to(struct player *p, uint32_t number)
{
	if (number % 8 == 0)
		fence_all_again();
	p->luggage = number * 3ull;
	__atomic_store_n(&p->ball, number, __ATOMIC_RELEASE);
	sleeper_wake(&p->asleep);
}

static bool has_ball(const struct player *p, uint32_t number)
{
	return __atomic_load_n(&p->ball, __ATOMIC_ACQUIRE) == number;
}

static void catch (struct player *p, uint32_t number)
{
	for (uint32_t i = number * 7 % MAX_PAUSES; i && !has_ball(p, number); i--)
		spin_pause();
	while (!has_ball(p, number)) {
		sleeper_announce(&p->asleep);
		uint32_t ns = sleep_prepare();

		if (!has_ball(p, number))
			sleeper_sleep(&p->asleep, ns);
		sleeper_get_up(&p->asleep);
	}
}

static void *play(void *arg)
{
	uint32_t me = (uint32_t)(uintptr_t)arg;
	uintptr_t errors = 0;

	for (uint32_t i = 1; i <= THROWS; i++) {
		if (me || i > 1)
			catch (&players[me], 2 * i + me);
		errors += players[me].luggage != (me || i > 1 ? (2 * i + me) * 3ull : 0);
		if (!me)
			throw_to(&players[1], 2 * i + 1);
		else if (i < THROWS)
			throw_to(&players[0], 2 * (i + 1));
	}
	return (void *)errors;
}

START_TEST(no_wake_is_missed)
{
	pthread_t threads[PLAYERS];
	void *errors;

	before_syscall = count;
	for (uintptr_t i = 0; i < PLAYERS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, play, (void *)i), 0);
	for (uint32_t i = 0; i < PLAYERS; i++) {
		pthread_join(threads[i], &errors);
		ck_assert_ptr_null(errors);
	}
	for (uint32_t i = 0; i < PLAYERS; i++)
		ck_assert_uint_eq(load(&players[i].asleep), 0);
	ck_assert_uint_gt(n_sleeps, 0);
}
END_TEST

/*
 * Several threads sleep on one word, with a count of the sleepers, as in core/sync/handover. One after another changes
 * the word for all, and only stores.
 */
enum { MANY = 4, CHANGES = 2000 };

static uint32_t shared, n_said; /* atomic */

static void *take_turns(void *arg)
{
	uint32_t me = (uint32_t)(uintptr_t)arg;

	for (uint32_t turn = 0; turn < CHANGES; turn++) {
		uint32_t seen;

		if (turn % MANY == me) {
			__atomic_store_n(&shared, turn + 1, __ATOMIC_RELEASE);
			if (sleep_is_said(&n_said))
				futex_wake_bits(&shared, 1);
			continue;
		}
		while ((seen = __atomic_load_n(&shared, __ATOMIC_ACQUIRE)) <= turn) {
			__atomic_fetch_add(&n_said, 1, __ATOMIC_RELAXED);
			uint32_t ns = sleep_prepare();

			if (__atomic_load_n(&shared, __ATOMIC_RELAXED) == seen)
				ns ? sleep_on_bits(&shared, seen, 1, ns) : sleep_on(&shared, seen, 0);
			__atomic_fetch_sub(&n_said, 1, __ATOMIC_RELAXED);
		}
	}
	return NULL;
}

START_TEST(several_sleep_on_one_word)
{
	pthread_t threads[MANY];

	before_syscall = count;
	for (uintptr_t i = 0; i < MANY; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, take_turns, (void *)i), 0);
	for (uint32_t i = 0; i < MANY; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(shared, CHANGES);
	ck_assert_uint_eq(n_said, 0);
	ck_assert_uint_gt(n_sleeps, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("runtime/sleep");
	TCase *tc = tcase_create("sleep");

	tcase_add_test(tc, nobody_sleeps_no_system_call);
	tcase_add_test(tc, a_change_before_the_fence_is_seen);
	tcase_add_test(tc, a_change_before_the_sleep_prevents_it);
	tcase_add_test(tc, a_change_during_the_sleep_ends_it);
	tcase_add_test(tc, without_fences_sleeps_are_short);
	tcase_add_test(tc, a_fence_may_be_forbidden_later);
	tcase_add_test(tc, a_sleep_has_an_end);
	tcase_add_test(tc, frequent_sleeps_share_one_fence_of_all);
	tcase_add_test(tc, changes_without_sleeps_have_no_fence);
	tcase_add_test(tc, who_comes_between_has_a_fence_of_his_own);
	tcase_add_test(tc, a_child_begins_with_fences_of_all);
	tcase_add_loop_test(tc, one_of_both_sees_the_other, 0, 2);
	tcase_add_test(tc, no_wake_is_missed);
	tcase_add_test(tc, several_sleep_on_one_word);
	suite_add_tcase(s, tc);

	return check_main(s);
}
