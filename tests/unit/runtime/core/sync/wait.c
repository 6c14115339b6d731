/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tests of waiting: when threads spin, yield and sleep, and what they learn from it. The test replaces the clock and
 * the kernel's yield.
 */
#include "check_main.h"
#include "waiter_clock.h"

START_TEST(it_spins_as_long_as_the_thread_has_learnt)
{
	struct waiter w = {0};

	wait_init();
	yield_ticks = QUICK;
	self(37);
	ck_assert_uint_eq(steps_to_yield(&w), 37);
}
END_TEST

START_TEST(quick_yields_let_it_spin_longer)
{
	struct waiter w = {0};

	wait_init();
	self(10);
	ck_assert_uint_eq(yield_times(&w, 1, QUICK), 20);
	ck_assert_uint_eq(yield_times(&w, 1, SLIGHTLY_LONGER), 40);
	ck_assert_uint_eq(yield_times(&w, 50, QUICK), WAIT_SPINS);
}
END_TEST

START_TEST(long_yields_let_it_spin_less)
{
	struct waiter w = {0};
	uint32_t spins, floor;

	wait_init();
	self(WAIT_SPINS);
	yield_times(&w, 1, QUICK);
	spins = yield_times(&w, 1, LONGER);
	ck_assert_uint_lt(spins, WAIT_SPINS);
	floor = yield_times(&w, 50, LONGER);
	ck_assert_uint_gt(floor, 0);
	/* It stays there, and returns from there. */
	ck_assert_uint_eq(yield_times(&w, 50, LONGER), floor);
	ck_assert_uint_eq(yield_times(&w, 50, QUICK), WAIT_SPINS);
	/* With more threads than CPUs it goes lower. */
	runtime_root.n_threads = 3;
	ck_assert_uint_lt(yield_times(&w, 50, LONGER), floor);
	ck_assert_uint_gt(thread_tls.spins, 0);
}
END_TEST

START_TEST(between_yields_nobody_used_it_pauses_more_and_more)
{
	struct waiter w = {0};
	uint32_t before = 0;

	wait_init();
	self(10);
	yield_times(&w, 1, QUICK);
	for (int i = 0; i < 20; i++) {
		uint32_t pauses = steps_to_yield(&w);

		ck_assert_uint_ge(pauses, before);
		ck_assert_uint_le(pauses, WAIT_SPINS);
		before = pauses;
	}
	ck_assert_uint_gt(before, 10);
	/* Other programs use the CPUs: it yields again at once. */
	yield_times(&w, 1, LONGER);
	ck_assert_uint_eq(steps_to_yield(&w), 0);
}
END_TEST

/* A wait's experience applies to the next wait: this one has spun already. */
START_TEST(with_more_threads_than_CPUs_it_yields_without_pauses)
{
	struct waiter w = {0};

	wait_init();
	self(10);
	runtime_root.n_threads = 3;
	yield_times(&w, 1, QUICK);
	for (int i = 0; i < 20; i++)
		ck_assert_uint_eq(steps_to_yield(&w), 0);
}
END_TEST

/* Other programs have taken the CPU: it sleeps rather than give the CPU to them at each wait. */
START_TEST(a_very_long_yield_makes_it_sleep)
{
	struct waiter w = {0};
	unsigned long long begin;

	wait_init();
	self(10);
	yield_times(&w, 1, QUICK);
	yield_times(&w, 1, FOREIGN);
	for (int n = 0; wait_step(&w); n++)
		ck_assert_int_le(n, 1000);
	ck_assert_uint_eq(n_yields, 2);
	ck_assert(!wait_step(&w));
	/* The next waits are the same. It spins before. */
	begin = ticks;
	for (int i = 0; i < 10; i++) {
		uint32_t before = n_yields, n = 0;

		waiter_reset(&w);
		while (wait_step(&w))
			ck_assert_uint_le(++n, 1000);
		ck_assert_uint_gt(n, 0);
		ck_assert_uint_eq(n_yields, before);
	}
	runtime_root.n_threads = 3;
	ck_assert(!wait_step_turn(&w, false));
	runtime_root.n_threads = 2;
	/* The lost time is a small part of the total: it tries again, and finds the CPU free. */
	while (n_yields < 3) {
		ticks += FOREIGN;
		waiter_reset(&w);
		while (wait_step(&w) && n_yields < 3)
			yield_ticks = QUICK;
	}
	ck_assert_uint_gt(ticks - begin, 2 * FOREIGN);
	ck_assert_uint_lt(ticks - begin, 10 * FOREIGN);
	ck_assert_uint_gt(yields_before_sleep(1000), 100);
}
END_TEST

/* Returns the time until the thread yields again, in units of the yield, which is long. */
static unsigned long long time_without_yields(void)
{
	unsigned long long begin;
	uint32_t before = n_yields;
	struct waiter w = {0};

	yield_times(&w, 1, FOREIGN);
	ck_assert_uint_eq(n_yields, before + 1);
	for (begin = ticks; n_yields == before + 1; ticks += FOREIGN / 4) {
		yield_ticks = QUICK;
		waiter_reset(&w);
		while (wait_step(&w) && n_yields == before + 1)
			;
	}
	return (ticks - begin) / FOREIGN;
}

/* A single long yield is noise, and the CPU is soon needed again. Busy programs make each yield long. */
START_TEST(long_yields_that_return_are_avoided_for_longer)
{
	struct waiter w = {0};
	unsigned long long first, second, last = 0;

	wait_init();
	self(10);
	runtime_root.n_threads = 3;
	yield_times(&w, 1, QUICK);
	ticks += 1000 * FOREIGN;
	first = time_without_yields();
	second = time_without_yields();
	ck_assert_uint_gt(first, 1);
	ck_assert_uint_lt(first, 10);
	ck_assert_uint_gt(second, 2 * first);
	for (int i = 0; i < 5; i++)
		last = time_without_yields();
	ck_assert_uint_gt(last, 50);
	ck_assert_uint_lt(last, 200);
	/* The other program has ended. The next long yield is noise again. */
	ticks += 1000 * FOREIGN;
	ck_assert_uint_eq(time_without_yields(), first);
}
END_TEST

START_TEST(a_policy_of_never_sleeping_is_kept)
{
	struct waiter w = {0};

	icv_process.wait_policy = WAIT_ACTIVE;
	wait_init();
	self(10);
	yield_times(&w, 1, QUICK);
	yield_times(&w, 3, FOREIGN);
	ck_assert_uint_eq(yields_before_sleep(1000), 1000);
}
END_TEST

/* With many more threads than CPUs, each yields in its turn: that takes long without any other program. */
START_TEST(turns_of_many_threads_are_not_other_programs)
{
	struct waiter w = {0};

	wait_init();
	self(10);
	runtime_root.n_threads = 1000;
	yield_times(&w, 1, QUICK);
	yield_times(&w, 3, FOREIGN);
	ck_assert(wait_step(&w));
}
END_TEST

/* Returns the number of pauses before a sleep due to other programs, with so many threads on two CPUs. */
static uint32_t pauses_before_sleep(uint32_t n_threads)
{
	struct waiter w = {0};
	uint32_t n = 0;

	runtime_root.n_threads = n_threads;
	thread_tls.no_yields = ticks + FOREIGN;
	while (wait_step(&w))
		ck_assert_uint_le(++n, 1000);
	ck_assert(!wait_step(&w)); /* once per wait */
	return n - (w.round < n ? w.round : n);
}

/* With more threads than CPUs the moment would delay those that have not arrived. */
START_TEST(beside_others_it_pauses_for_a_moment_before_it_sleeps)
{
	wait_init();
	self(2);
	ck_assert_uint_gt(pauses_before_sleep(2), 0);
	ck_assert_uint_eq(pauses_before_sleep(3), 0);
	ck_assert_uint_eq(pauses_before_sleep(1000), 0);
	ck_assert_uint_eq(n_yields, 0);
}
END_TEST

/* Other programs want the CPUs from the start: no yield is quick, but a system call is. */
START_TEST(what_is_long_need_not_be_learnt_from_yields)
{
	struct waiter w = {0};

	wait_init();
	self(10);
	runtime_root.n_threads = 3;
	yield_times(&w, 1, FOREIGN);
	while (wait_step(&w))
		;
	ck_assert_uint_eq(n_yields, 1);
	/* A turn of another thread of our own is shorter. It used the CPU, so the thread spins less. */
	thread_tls.no_yields = 0;
	self(WAIT_SPINS);
	waiter_reset(&w);
	ck_assert_uint_lt(yield_times(&w, 1, LONGER), WAIT_SPINS);
	ck_assert(wait_step(&w));
}
END_TEST

START_TEST(who_is_beaten_again_falls_back)
{
	struct thread *t = self(10);
	unsigned long long before;

	ticks = 1000000;
	wait_fall_back(t);
	ck_assert_uint_eq(n_pauses, 0);
	ticks += 300;
	wait_fall_back(t);
	ck_assert_uint_gt(before = n_pauses, 0);
	ticks += 100000;
	wait_fall_back(t);
	ck_assert_uint_eq(n_pauses, before);
	/*
	 * Both restart together behind a barrier: the other thread got no advantage, and would only have to wait there.
	 */
	for (int i = 0; i < 3; i++) {
		ticks += 300;
		t->barrier_count += 2;
		wait_fall_back(t);
	}
	ck_assert_uint_eq(n_pauses, before);
	ticks += 300;
	wait_fall_back(t);
	ck_assert_uint_gt(n_pauses, before);
}
END_TEST

START_TEST(a_wait_spins_once)
{
	struct waiter w = {0};

	wait_init();
	self(10);
	yield_times(&w, 20, QUICK);
	ck_assert_uint_ge(w.round, thread_tls.spins);
	waiter_reset(&w);
	ck_assert_uint_eq(steps_to_yield(&w), WAIT_SPINS);
}
END_TEST

START_TEST(it_sleeps_by_the_wait_policy)
{
	uint32_t by_default, passive;

	self(10);
	wait_init();
	by_default = yields_before_sleep(20000);
	ck_assert_uint_lt(by_default, 20000);
	icv_process.wait_policy = WAIT_PASSIVE;
	wait_init();
	passive = yields_before_sleep(20000);
	ck_assert_uint_gt(passive, 0);
	ck_assert_uint_lt(passive, by_default / 10);
	icv_process.wait_policy = WAIT_ACTIVE;
	wait_init();
	ck_assert_uint_eq(yields_before_sleep(20000), 20000);
}
END_TEST

static void set_spin_count(uint64_t n)
{
	icv_process.throttled_spin = true;
	icv_process.spin_count = n;
	wait_init();
}

START_TEST(GOMP_SPINCOUNT_bounds_spins_and_yields)
{
	struct waiter w = {0};
	uint32_t few, more;

	self(10);
	set_spin_count(0);
	ck_assert_uint_eq(yields_before_sleep(1000), 0);
	ck_assert_uint_eq(wait_first_spins(), 0);
	set_spin_count(64);
	ck_assert_uint_le(few = yields_before_sleep(1000), 64);
	self(WAIT_SPINS);
	ck_assert_uint_le(yield_times(&w, 1, QUICK), 64);
	set_spin_count(64000);
	more = yields_before_sleep(20000);
	ck_assert_uint_gt(more, few);
	ck_assert_uint_le(more, 64000);
	waiter_reset(&w);
	ck_assert_uint_eq(yield_times(&w, 20, QUICK), WAIT_SPINS);
	/* "infinity" does not overflow to a small value. */
	set_spin_count(UINT64_MAX);
	ck_assert_uint_eq(yields_before_sleep(20000), 20000);
	set_spin_count((1ull << 32) * 64);
	ck_assert_uint_eq(yields_before_sleep(20000), 20000);
	set_spin_count(ICV_SPIN_ACTIVE);
	ck_assert_uint_eq(yields_before_sleep(20000), 20000);
}
END_TEST

START_TEST(who_is_next_pauses_where_others_yield)
{
	struct waiter w = {0};

	wait_init();
	self(10);
	yield_ticks = QUICK;
	runtime_root.n_threads = 3;
	for (uint32_t i = 0; i < 50; i++)
		ck_assert(wait_step_turn(&w, false));
	ck_assert_uint_eq(n_yields, 50);
	for (uint32_t i = 0; i < 500; i++)
		ck_assert(wait_step_turn(&w, true));
	ck_assert_uint_gt(n_yields, 50);
	ck_assert_uint_lt(n_yields, 100);
	/* With a CPU for each thread, it is an ordinary wait. */
	runtime_root.n_threads = 2;
	n_yields = 0;
	waiter_reset(&w);
	for (uint32_t i = 0; i < thread_tls.spins; i++)
		ck_assert(wait_step_turn(&w, false));
	ck_assert_uint_eq(n_yields, 0);
}
END_TEST

START_TEST(a_turn_that_does_not_come_lets_it_sleep_and_begin_again)
{
	struct waiter w = {0};

	icv_process.wait_policy = WAIT_PASSIVE;
	wait_init();
	yield_ticks = QUICK;
	runtime_root.n_threads = 3;
	for (int i = 0; i < 3; i++) {
		uint32_t n = 0;

		while (wait_step_turn(&w, false))
			ck_assert_uint_le(++n, 1000);
		ck_assert_uint_gt(n, 0);
	}
}
END_TEST

/* A thread moves to another CPU when it shares its own one needlessly, and does so less and less often. */
START_TEST(sharing_a_cpu_makes_a_pools_thread_move)
{
	struct waiter w = {0};
	struct thread *t = self(10);
	uint32_t distance[2] = {0}, i;

	wait_init();
	yield_times(&w, 1, QUICK);
	yield_times(&w, 1000, LONGER);
	ck_assert_uint_eq(n_moves, 0); /* the primary thread stays */
	t->is_pool = true;
	t->place = 1;
	waiter_reset(&w);
	yield_times(&w, 1000, LONGER);
	ck_assert_uint_eq(n_moves, 0); /* bound */
	t->place = 0;
	t->n_shared = 0;
	t->n_moves = 0;
	runtime_root.n_threads = 3;
	waiter_reset(&w);
	yield_times(&w, 1000, LONGER);
	ck_assert_uint_eq(n_moves, 0); /* no CPU is idle */
	runtime_root.n_threads = 2;
	for (i = 0; i < 2; i++) {
		for (waiter_reset(&w); n_moves == i; distance[i]++)
			yield_times(&w, 1, LONGER);
		ck_assert_uint_gt(distance[i], 1);
	}
	ck_assert_uint_gt(distance[1], distance[0]);
	/* A few long ones among many quick ones prove nothing. */
	t->n_shared = 0;
	for (i = 0; i < 500; i++) {
		waiter_reset(&w);
		yield_times(&w, 1, LONGER);
		yield_times(&w, 3, QUICK);
	}
	ck_assert_uint_eq(n_moves, 2);
}
END_TEST

START_TEST(who_sleeps_needs_no_CPU)
{
	runtime_root.n_threads = 4;
	ck_assert(wait_is_crowded());
	wait_count_asleep(1);
	ck_assert(wait_is_crowded());
	wait_count_asleep(1);
	ck_assert(!wait_is_crowded());
	wait_count_asleep(-1);
	ck_assert(wait_is_crowded());
	wait_forget_others();
	wait_count_asleep(1);
	wait_count_asleep(1);
	ck_assert(!wait_is_crowded());
}
END_TEST

int main(void)
{
	Suite *s = suite_create("runtime/wait");
	TCase *tc = tcase_create("wait");

	tcase_add_test(tc, it_spins_as_long_as_the_thread_has_learnt);
	tcase_add_test(tc, quick_yields_let_it_spin_longer);
	tcase_add_test(tc, long_yields_let_it_spin_less);
	tcase_add_test(tc, between_yields_nobody_used_it_pauses_more_and_more);
	tcase_add_test(tc, with_more_threads_than_CPUs_it_yields_without_pauses);
	tcase_add_test(tc, a_very_long_yield_makes_it_sleep);
	tcase_add_test(tc, long_yields_that_return_are_avoided_for_longer);
	tcase_add_test(tc, a_policy_of_never_sleeping_is_kept);
	tcase_add_test(tc, turns_of_many_threads_are_not_other_programs);
	tcase_add_test(tc, beside_others_it_pauses_for_a_moment_before_it_sleeps);
	tcase_add_test(tc, what_is_long_need_not_be_learnt_from_yields);
	tcase_add_test(tc, who_is_beaten_again_falls_back);
	tcase_add_test(tc, a_wait_spins_once);
	tcase_add_test(tc, it_sleeps_by_the_wait_policy);
	tcase_add_test(tc, GOMP_SPINCOUNT_bounds_spins_and_yields);
	tcase_add_test(tc, who_is_next_pauses_where_others_yield);
	tcase_add_test(tc, a_turn_that_does_not_come_lets_it_sleep_and_begin_again);
	tcase_add_test(tc, sharing_a_cpu_makes_a_pools_thread_move);
	tcase_add_test(tc, who_sleeps_needs_no_CPU);
	suite_add_tcase(s, tc);

	return check_main(s);
}
