/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of core/sync/handover: a word that one thread changes and others wait for. Only sleeping threads are woken. */
#include "core/sync/handover.h"

#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "check_main.h"
#include "core/state/icv.h"
#include "core/state/root.h"
#include "core/state/thread.h"
#include "core/sync/wait.h"
#include "syscall_of.h"

__thread struct thread thread_tls = {.n_threads = 1, .spins = 2};
struct icv_process icv_process = {.num_procs = 1, .wait_policy = WAIT_PASSIVE};
struct root runtime_root = {.n_threads = 2};

static uint64_t word;
static uint32_t sleepers;
static uint32_t n_sleeps, n_wakes, n_late, bits_woken; /* atomic */
static bool no_fence;

static bool count(long number, const long *args)
{
	if (number == SYS_membarrier && no_fence) {
		errno = ENOSYS;
		return false;
	}
	if (is_sleep(number, args))
		__atomic_fetch_add(&n_sleeps, 1, __ATOMIC_SEQ_CST);
	if (is_wake(number, args)) {
		__atomic_fetch_add(&n_wakes, 1, __ATOMIC_SEQ_CST);
		__atomic_fetch_or(&bits_woken, (uint32_t)args[5], __ATOMIC_SEQ_CST);
	}
	return true;
}

static void count_late(long result)
{
	if (result < 0 && errno == ETIMEDOUT)
		__atomic_fetch_add(&n_late, 1, __ATOMIC_SEQ_CST);
}

static void set_up(void)
{
	wait_init();
	before_syscall = count;
	after_sleep = count_late;
}

static uint32_t load(const uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}

/* Waits until the word is @value; with bit 0 for even values, else bit 1. */
static void wait_until(uint64_t value)
{
	struct waiter w = {0};
	uint64_t seen;

	while ((seen = __atomic_load_n(&word, __ATOMIC_ACQUIRE)) != value)
		handover_wait(&w, false, &word, seen, &sleepers, 1u << value % 2);
}

static void *waiter_of(void *arg)
{
	thread_tls.spins = 2;
	wait_until(*(const uint64_t *)arg);
	return NULL;
}

static void wait_for_sleepers(uint32_t n)
{
	while (load(&n_sleeps) < n || load(&sleepers) < n)
		usleep(1000);
}

START_TEST(nobody_waits_no_system_call)
{
	set_up();
	for (uint64_t i = 1; i < 100; i++)
		handover_give(&word, i, &sleepers, 1);
	ck_assert_uint_eq(word, 99);
	wait_until(99);
	ck_assert_uint_eq(n_wakes + n_sleeps, 0);
}
END_TEST

START_TEST(a_sleeper_is_woken)
{
	const uint64_t value = 2;
	pthread_t thread;

	set_up();
	ck_assert_int_eq(pthread_create(&thread, NULL, waiter_of, (void *)&value), 0);
	wait_for_sleepers(1);
	handover_give(&word, value, &sleepers, 1u);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(n_wakes, 1);
	ck_assert_uint_eq(bits_woken, 1);
	ck_assert_uint_eq(sleepers, 0);
	/* The next handover needs no wake. */
	handover_give(&word, value, &sleepers, 1u);
	ck_assert_uint_eq(n_wakes, 1);
}
END_TEST

/* A sleeping thread leaves the CPU to others. */
START_TEST(a_sleeper_is_not_counted_as_awake)
{
	const uint64_t value = 2;
	pthread_t thread;

	icv_process.num_procs = 1;
	set_up();
	ck_assert(wait_is_crowded());
	ck_assert_int_eq(pthread_create(&thread, NULL, waiter_of, (void *)&value), 0);
	wait_for_sleepers(1);
	ck_assert(!wait_is_crowded());
	handover_give(&word, value, &sleepers, 1u);
	pthread_join(thread, NULL);
	ck_assert(wait_is_crowded());
}
END_TEST

/* The halves of the word look the same to a sleeper that reads the lower one: it checks again in time. */
START_TEST(a_change_of_the_upper_half_is_noticed)
{
	const uint64_t value = 5ull << 32;
	pthread_t thread;

	set_up();
	ck_assert_int_eq(pthread_create(&thread, NULL, waiter_of, (void *)&value), 0);
	wait_for_sleepers(1);
	__atomic_store_n(&word, value, __ATOMIC_RELEASE); /* and the wake came before the sleep */
	pthread_join(thread, NULL);
	ck_assert_uint_ge(n_late, 1);
	ck_assert_uint_eq(sleepers, 0);
}
END_TEST

START_TEST(without_fences_it_sleeps_for_short_times)
{
	const uint64_t value = 1;
	pthread_t thread;

	no_fence = true;
	set_up();
	ck_assert_int_eq(pthread_create(&thread, NULL, waiter_of, (void *)&value), 0);
	while (load(&n_late) < 20)
		usleep(1000);
	__atomic_store_n(&word, value, __ATOMIC_RELEASE); /* as if the sleep had not been seen */
	pthread_join(thread, NULL);
	ck_assert_uint_eq(sleepers, 0);
}
END_TEST

/* Two threads take turns, and sleep between them. No wake is missed: a wait for a missed one takes half a second. */
enum { TURNS = 4000 };

static void *player(void *arg)
{
	uint64_t me = *(const uint64_t *)arg;

	thread_tls.spins = 2;
	for (uint64_t turn = me; turn < TURNS; turn += 2) {
		wait_until(turn);
		handover_give(&word, turn + 1, &sleepers, 1u << (turn + 1) % 2);
	}
	return NULL;
}

START_TEST(no_wake_is_missed)
{
	const uint64_t numbers[] = {0, 1};
	pthread_t threads[2];

	/* Sleeping at once, or only after a long wait. */
	icv_process.throttled_spin = true;
	icv_process.spin_count = _i ? 64 : 0;
	set_up();
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, player, (void *)&numbers[i]), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(word, TURNS);
	ck_assert_uint_gt(n_sleeps, 0);
	ck_assert_uint_le(n_late, TURNS / 200); /* on a busy machine */
	ck_assert_uint_eq(sleepers, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("runtime/handover");
	TCase *tc = tcase_create("handover");

	tcase_add_test(tc, nobody_waits_no_system_call);
	tcase_add_test(tc, a_sleeper_is_woken);
	tcase_add_test(tc, a_sleeper_is_not_counted_as_awake);
	tcase_add_test(tc, a_change_of_the_upper_half_is_noticed);
	tcase_add_test(tc, without_fences_it_sleeps_for_short_times);
	tcase_add_loop_test(tc, no_wake_is_missed, 0, 2);
	suite_add_tcase(s, tc);

	return check_main(s);
}
