/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/sampling/tally: the sums of samples. */
#include "check_main.h"

#include <malloc.h>
#include <stdio.h>

#include "openmp/sampling/tally.h"

static struct tally t;

static void set_up(void)
{
	ck_assert(tally_init(&t, true, true));
}

static void tear_down(void)
{
	tally_deinit(&t);
}

static uint32_t region(uint64_t key)
{
	bool is_new;

	return tally_region(&t, 0, key, 1, false, &is_new);
}

static struct tally_sample sample(pid_t tid, int64_t number, enum profile_state state, uint32_t of)
{
	return (struct tally_sample){
		.tid = tid,
		.thread_num = number,
		.state = state,
		.region = of,
		.lock = TALLY_NONE,
		.task = TALLY_NONE,
	};
}

static void add(pid_t tid, int64_t number, enum profile_state state, uint32_t of, uint64_t t_us, uint64_t us)
{
	struct tally_sample s = sample(tid, number, state, of);

	tally_add(&t, &s, t_us, us);
}

START_TEST(test_rows_are_found_again)
{
	bool is_new;

	ck_assert_uint_eq(tally_region(&t, 0, 0x10, 1, false, &is_new), 0);
	ck_assert(is_new);
	ck_assert_uint_eq(tally_region(&t, 0, 0x10, 1, false, &is_new), 0);
	ck_assert(!is_new);
	/* The same function in another nesting, or outside all regions, is another row. */
	ck_assert_uint_eq(tally_region(&t, 0, 0x10, 2, false, &is_new), 1);
	ck_assert_uint_eq(tally_region(&t, 0, 0, 0, true, &is_new), 2);
	ck_assert_uint_eq(tally_lock(&t, 0x10, PROFILE_LOCK, &is_new), 0);
	ck_assert_uint_eq(tally_lock(&t, 0x10, PROFILE_CRITICAL, &is_new), 1);
	ck_assert_uint_eq(tally_task(&t, 0x10, &is_new), 0);
	ck_assert_uint_eq(tally_task(&t, 0x20, &is_new), 1);
	ck_assert_uint_eq(tally_task(&t, 0x10, &is_new), 0);
	ck_assert(!is_new);
}
END_TEST

START_TEST(test_times_of_states)
{
	uint32_t a = region(0x10), b = region(0x20);

	tally_begin(&t);
	add(11, 0, PROFILE_WORK, a, 100, 100);
	add(12, 1, PROFILE_CRITICAL, a, 100, 100);
	add(13, 0, PROFILE_WORK, b, 100, 100);
	tally_end(&t, 100);
	tally_begin(&t);
	add(11, 0, PROFILE_WORK, a, 150, 50);
	tally_end(&t, 150);
	ck_assert_uint_eq(t.samplings, 2);
	ck_assert_uint_eq(t.samples, 4);
	ck_assert_uint_eq(t.state_us[PROFILE_WORK], 250);
	ck_assert_uint_eq(t.regions[a].state_us[PROFILE_WORK], 150);
	ck_assert_uint_eq(t.regions[a].state_us[PROFILE_CRITICAL], 100);
	ck_assert_uint_eq(t.regions[b].state_us[PROFILE_WORK], 100);
	ck_assert_uint_eq(t.regions[a].max_threads, 2);
	ck_assert_uint_eq(t.n_threads, 3);
	ck_assert_uint_eq(t.threads[0].state_us[PROFILE_WORK], 150);
}
END_TEST

START_TEST(test_imbalance_is_the_largest_over_the_mean)
{
	uint32_t a = region(0x10);
	double imbalance;

	tally_begin(&t);
	add(11, 0, PROFILE_WORK, a, 0, 200);
	ck_assert(!tally_imbalance(&t.regions[a], &imbalance));
	add(12, 1, PROFILE_WORK, a, 0, 100);
	ck_assert(tally_imbalance(&t.regions[a], &imbalance));
	ck_assert_double_eq_tol(imbalance, 200 / 150.0, 1e-9);
	/* A member that only waits has worked for 0 us. */
	add(13, 2, PROFILE_BARRIER_IMPLICIT, a, 0, 100);
	ck_assert(tally_imbalance(&t.regions[a], &imbalance));
	ck_assert_double_eq_tol(imbalance, 2.0, 1e-9);
	/* Unknown and absurd numbers are ignored. */
	add(14, -1, PROFILE_WORK, a, 0, 1000);
	add(15, INT64_MAX, PROFILE_WORK, a, 0, 1000);
	ck_assert(tally_imbalance(&t.regions[a], &imbalance));
	ck_assert_double_eq_tol(imbalance, 2.0, 1e-9);
	tally_end(&t, 0);
}
END_TEST

/* Samples of several moments: two threads may have waited for each other, one after the other. */
START_TEST(test_waits_of_other_moments)
{
	bool is_new;
	uint32_t lock = tally_lock(&t, 0x40, PROFILE_CRITICAL, &is_new);
	struct tally_sample sample = {
		.state = PROFILE_CRITICAL, .region = TALLY_NONE, .task = TALLY_NONE, .lock = lock, .is_older = true};
	const struct tally_lock *l = &t.locks[lock];

	tally_begin(&t);
	for (sample.tid = 1; sample.tid <= 2; sample.tid++)
		tally_add(&t, &sample, 0, 10);
	tally_end(&t, 10);
	ck_assert_uint_eq(l->wait_us, 20);
	ck_assert_uint_eq(l->max_waiters, 1);
	ck_assert_uint_eq(l->samples, 2);
	/* Earlier samples add only their time. */
	sample.n_late = 3;
	tally_begin(&t);
	tally_add(&t, &sample, 10, 30);
	tally_end(&t, 20);
	ck_assert_uint_eq(l->wait_us, 50);
	ck_assert_uint_eq(l->samples, 2);
	sample.is_older = false;
	sample.n_late = 0;
	tally_begin(&t);
	for (sample.tid = 1; sample.tid <= 2; sample.tid++)
		tally_add(&t, &sample, 0, 10);
	tally_end(&t, 30);
	ck_assert_uint_eq(l->max_waiters, 2);
}
END_TEST

START_TEST(test_holders_of_a_lock)
{
	bool is_new;
	uint32_t lock = tally_lock(&t, 0x4000, PROFILE_LOCK, &is_new);
	struct tally_place at = {.function = 1, .file = 2, .line = 3}, nowhere = {0};

	tally_holder(&t, lock, &nowhere, false, 5);
	ck_assert_uint_eq(t.locks[lock].n_holders, 0);
	tally_holder(&t, lock, &at, false, 10);
	tally_holder(&t, lock, &at, true, 20);
	tally_holder(&t, lock, &at, false, 30);
	at.line = 4;
	tally_holder(&t, lock, &at, false, 40);
	ck_assert_uint_eq(t.locks[lock].n_holders, 3);
	ck_assert_uint_eq(t.locks[lock].holders[0].us, 40);
	ck_assert_uint_eq(t.locks[lock].holders[1].us, 20);
	ck_assert(t.locks[lock].holders[1].is_inferred);
	ck_assert_uint_eq(t.locks[lock].holders[2].us, 40);
	ck_assert_int_eq(t.locks[lock].holders[2].place.line, 4);
	/* The number of places is limited; existing places continue to be counted. */
	for (at.line = 5; at.line < 5 + TALLY_MAX_PLACES; at.line++)
		tally_holder(&t, lock, &at, false, 1);
	ck_assert_uint_eq(t.locks[lock].n_holders, TALLY_MAX_PLACES);
	ck_assert_uint_eq(t.locks[lock].holders_other_us, 5 + 3);
	at.line = 3;
	tally_holder(&t, lock, &at, true, 2);
	ck_assert_uint_eq(t.locks[lock].holders[1].us, 22);
}
END_TEST

START_TEST(test_waits_at_a_lock)
{
	bool is_new;
	uint32_t lock = tally_lock(&t, 0x4000, PROFILE_CRITICAL, &is_new);
	struct tally_sample s = sample(11, 0, PROFILE_CRITICAL, TALLY_NONE);

	s.lock = lock;
	tally_begin(&t);
	for (uint32_t i = 1; i <= TALLY_MAX_PLACES + 1; i++) {
		s.tid = (pid_t)i;
		s.at = (struct tally_place){.function = i};
		tally_add(&t, &s, 0, 10);
	}
	tally_end(&t, 0);
	tally_begin(&t);
	tally_end(&t, 0);
	tally_begin(&t);
	s.at.function = 1;
	tally_add(&t, &s, 0, 10);
	tally_end(&t, 0);
	ck_assert_uint_eq(t.locks[lock].wait_us, (TALLY_MAX_PLACES + 2) * 10);
	ck_assert_uint_eq(t.locks[lock].max_waiters, TALLY_MAX_PLACES + 1);
	ck_assert_uint_eq(t.locks[lock].samplings, 2);
	ck_assert_uint_eq(t.locks[lock].n_places, TALLY_MAX_PLACES);
	ck_assert_uint_eq(t.locks[lock].places[0].wait_us, 20);
	ck_assert_uint_eq(t.locks[lock].other_us, 10);
}
END_TEST

START_TEST(test_tasks_run_and_wait)
{
	bool is_new;
	uint32_t task = tally_task(&t, 0x5000, &is_new);
	struct tally_sample s = sample(11, 0, PROFILE_WORK, TALLY_NONE);

	s.task = task;
	tally_begin(&t);
	tally_add(&t, &s, 0, 10);
	s.tid = 12;
	s.state = PROFILE_TASKWAIT;
	tally_add(&t, &s, 0, 10);
	tally_end(&t, 0);
	ck_assert_uint_eq(t.tasks[task].run_us, 10);
	ck_assert_uint_eq(t.tasks[task].wait_us, 10);
	ck_assert_uint_eq(t.tasks[task].max_running, 2);
}
END_TEST

START_TEST(test_late_samples_are_of_no_sampling)
{
	uint32_t a = region(0x10);
	struct tally_sample s = sample(11, 1, PROFILE_WORK, a);

	tally_begin(&t);
	add(11, 1, PROFILE_CRITICAL, a, 50, 10);
	s.n_late = 4;
	tally_add(&t, &s, 50, 40);
	tally_end(&t, 50);
	ck_assert_uint_eq(t.samples, 5);
	ck_assert_uint_eq(t.regions[a].samples, 5);
	ck_assert_uint_eq(t.regions[a].max_threads, 1);
	ck_assert_uint_eq(t.state_us[PROFILE_WORK], 40);
	/* The timeline does not know their times. */
	ck_assert_uint_eq(t.threads[0].timeline.n, 1);
	ck_assert_uint_eq(timeline_at(&t.threads[0].timeline, 0)->state, PROFILE_CRITICAL);
}
END_TEST

START_TEST(test_who_is_gone_has_no_state)
{
	tally_begin(&t);
	add(12, 0, PROFILE_WORK, TALLY_NONE, 10, 10);
	add(11, 0, PROFILE_WORK, TALLY_NONE, 10, 10);
	tally_end(&t, 10);
	tally_begin(&t);
	add(11, 0, PROFILE_WORK, TALLY_NONE, 20, 10);
	tally_end(&t, 20);
	ck_assert_int_eq(t.threads[0].tid, 11);
	ck_assert_uint_eq(t.threads[0].timeline.n, 1);
	ck_assert_uint_eq(t.threads[1].timeline.n, 2);
	ck_assert_uint_eq(timeline_at(&t.threads[1].timeline, 1)->state, TIMELINE_GONE);
	ck_assert_uint_eq(timeline_at(&t.threads[1].timeline, 1)->t_us, 20);
	tally_pause(&t, 30);
	ck_assert_uint_eq(timeline_at(&t.threads[0].timeline, 1)->state, TIMELINE_GONE);
}
END_TEST

START_TEST(test_what_there_is_no_room_for_is_counted)
{
	bool is_new;

	for (uint64_t i = 0; i < TALLY_MAX_REGIONS; i++)
		ck_assert_uint_eq(region(i + 1), i);
	ck_assert_uint_eq(region(TALLY_MAX_REGIONS + 1), TALLY_NONE);
	ck_assert_uint_eq(t.refused_regions, 1);
	for (uint64_t i = 0; i <= TALLY_MAX_LOCKS; i++)
		tally_lock(&t, i, PROFILE_LOCK, &is_new);
	ck_assert_uint_eq(t.refused_locks, 1);
	for (uint64_t i = 0; i <= TALLY_MAX_TASKS; i++)
		tally_task(&t, i, &is_new);
	ck_assert_uint_eq(t.refused_tasks, 1);
	tally_begin(&t);
	for (pid_t i = 0; i <= TALLY_MAX_THREADS; i++)
		add(i + 1, 0, PROFILE_WORK, TALLY_NONE, 10, 10);
	tally_end(&t, 10);
	ck_assert_uint_eq(t.refused_threads, 1);
	ck_assert_uint_eq(t.n_timelines, TALLY_MAX_TIMELINES);
	/* Its time is in the sum. */
	ck_assert_uint_eq(t.state_us[PROFILE_WORK], (TALLY_MAX_THREADS + 1) * 10u);
}
END_TEST

/* The size is limited, however long the profile lasts and whatever the target does: an hour needs no more than this. */
START_TEST(test_all_that_is_kept_stays_below_48_mib)
{
	struct tally_sample s = sample(0, 0, PROFILE_WORK, TALLY_NONE);
	size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
	uint32_t node = STACK_TREE_ROOT;
	char text[128];
	bool is_new;

	for (int sampling = 0; sampling <= TIMELINE_CELLS; sampling++) {
		tally_begin(&t);
		for (pid_t i = 0; i <= TALLY_MAX_THREADS; i++) {
			s.tid = i + 1;
			s.thread_num = i;
			s.state = sampling & 1 ? PROFILE_WORK : PROFILE_CRITICAL;
			s.region = region((uint64_t)(i & 63) + 1);
			tally_add(&t, &s, (uint64_t)sampling, 1);
		}
		tally_end(&t, (uint64_t)sampling);
	}
	for (uint64_t i = 0; i <= TALLY_MAX_LOCKS; i++) {
		tally_lock(&t, i, PROFILE_LOCK, &is_new);
		tally_task(&t, i, &is_new);
		region(i + 1000);
	}
	for (int i = 0; i < STACK_TREE_MAX_FRAMES + 1000; i++)
		stack_tree_frame(&t.tree, &(struct tree_frame){.line = i});
	for (uint32_t i = 0; i < STACK_TREE_MAX_NODES + 1000; i++) {
		uint32_t inner = stack_tree_child(&t.tree, node, i % STACK_TREE_MAX_FRAMES);

		node = inner == UINT32_MAX ? node : inner;
	}
	for (unsigned i = 0; i < TEXTS_MAX + 1000; i++) {
		snprintf(text, sizeof(text), "%0100u", i);
		texts_add(&t.texts, text);
	}
	ck_assert_uint_ne(t.refused_threads, 0);
	ck_assert_uint_ne(t.texts.refused, 0);
	ck_assert_uint_eq(t.tree.n_nodes, STACK_TREE_MAX_NODES);
	ck_assert_uint_lt(mallinfo2().uordblks + mallinfo2().hblkhd - before, 48u << 20);
}
END_TEST

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1103515245 + 12345;
	return *state >> 8;
}

/* A hundred samples a second of eight threads that hardly ever have the same stack twice. */
START_TEST(test_an_hour_of_stacks_that_never_come_again)
{
	size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
	uint64_t us = 0, refused_us = 0;
	uint32_t state = 1;
	char text[32];

	for (uint64_t sampling = 0; sampling < 3600 * 100; sampling++) {
		tally_begin(&t);
		for (pid_t tid = 1; tid <= 8; tid++) {
			uint32_t node = STACK_TREE_ROOT, depth = 1 + next_random(&state) % 4;

			for (uint32_t i = 0; i < depth; i++) {
				struct tree_frame frame = {.line = (int)(next_random(&state) % 50000)};

				snprintf(text, sizeof(text), "f%u", (unsigned)frame.line);
				frame.function = texts_add(&t.texts, text);
				uint32_t number = stack_tree_frame(&t.tree, &frame);
				uint32_t inner =
					number == UINT32_MAX ? UINT32_MAX : stack_tree_child(&t.tree, node, number);
				node = inner == UINT32_MAX ? node : inner;
			}
			add(tid, tid, PROFILE_WORK, region(next_random(&state) % 2000 + 1), sampling * 10000, 10000);
			if (node == STACK_TREE_ROOT)
				refused_us += 10000;
			else
				stack_tree_add(&t.tree, node, PROFILE_WORK, 10000);
		}
		tally_end(&t, sampling * 10000);
	}
	/* The total time is complete, though not always at the frame where it was spent. */
	for (uint32_t i = 0; i < t.tree.n_nodes; i++)
		us += t.tree.nodes[i].self_us;
	ck_assert_uint_eq(us + refused_us, UINT64_C(8) * 3600 * 1000000);
	ck_assert_uint_eq(t.state_us[PROFILE_WORK], UINT64_C(8) * 3600 * 1000000);
	ck_assert_uint_eq(t.tree.n_nodes, STACK_TREE_MAX_NODES);
	ck_assert_uint_ne(t.tree.refused, 0);
	ck_assert_uint_lt(mallinfo2().uordblks + mallinfo2().hblkhd - before, 48u << 20);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/sampling/tally");
	TCase *tc = tcase_create("tally");

	tcase_set_timeout(tc, 600);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_rows_are_found_again);
	tcase_add_test(tc, test_times_of_states);
	tcase_add_test(tc, test_imbalance_is_the_largest_over_the_mean);
	tcase_add_test(tc, test_waits_at_a_lock);
	tcase_add_test(tc, test_waits_of_other_moments);
	tcase_add_test(tc, test_holders_of_a_lock);
	tcase_add_test(tc, test_tasks_run_and_wait);
	tcase_add_test(tc, test_late_samples_are_of_no_sampling);
	tcase_add_test(tc, test_who_is_gone_has_no_state);
	tcase_add_test(tc, test_what_there_is_no_room_for_is_counted);
	tcase_add_test(tc, test_all_that_is_kept_stays_below_48_mib);
	tcase_add_test(tc, test_an_hour_of_stacks_that_never_come_again);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
