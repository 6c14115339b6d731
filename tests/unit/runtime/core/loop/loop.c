/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tests of core/loop and core/loop/ranges: which iterations with which values in which order, for all loops and
 * schedules.
 */
#include "core/loop/loop.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "team_of.h"

enum { MAX_N = 4096, MAX_THREADS = 9 };

/* Check's own assertions write to a file each time. */
#define expect(condition)                                                                                              \
	do {                                                                                                           \
		if (!(condition))                                                                                      \
			ck_abort_msg("%s", #condition);                                                                \
	} while (0)

static struct team_of all;
static uint8_t seen[MAX_N];
static uint64_t random_state = 42;

static uint64_t random_below(uint64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % n;
}

static struct workshare_setup signed_loop(int64_t start, int64_t end, int64_t incr)
{
	return (struct workshare_setup){
		.start = (uint64_t)start,
		.end = (uint64_t)end,
		.incr = (uint64_t)incr,
		.n = loop_count_signed(start, end, incr),
	};
}

static struct workshare_setup unsigned_loop(bool up, uint64_t start, uint64_t end, uint64_t incr)
{
	return (struct workshare_setup){
		.start = start, .end = end, .incr = incr, .n = loop_count_unsigned(up, start, end, incr)};
}

START_TEST(test_counts)
{
	ck_assert_uint_eq(loop_count_signed(0, 10, 1), 10);
	ck_assert_uint_eq(loop_count_signed(0, 10, 3), 4);
	ck_assert_uint_eq(loop_count_signed(0, 9, 3), 3);
	ck_assert_uint_eq(loop_count_signed(10, 0, -3), 4);
	ck_assert_uint_eq(loop_count_signed(0, 0, 1), 0);
	ck_assert_uint_eq(loop_count_signed(1, 0, 1), 0);
	ck_assert_uint_eq(loop_count_signed(0, 1, -1), 0);
	ck_assert_uint_eq(loop_count_signed(0, 1, 0), 0);
	ck_assert_uint_eq(loop_count_signed(LONG_MIN, LONG_MAX, 1), ULONG_MAX);
	ck_assert_uint_eq(loop_count_signed(LONG_MAX, LONG_MIN, -1), ULONG_MAX);
	ck_assert_uint_eq(loop_count_signed(LONG_MIN, LONG_MAX, LONG_MAX), 3);
	ck_assert_uint_eq(loop_count_signed(LONG_MAX, LONG_MIN, LONG_MIN), 2);
	ck_assert_uint_eq(loop_count_unsigned(true, 0, ULONG_MAX, 1), ULONG_MAX);
	ck_assert_uint_eq(loop_count_unsigned(true, 0, ULONG_MAX, ULONG_MAX), 1);
	ck_assert_uint_eq(loop_count_unsigned(true, 5, 5, 1), 0);
	ck_assert_uint_eq(loop_count_unsigned(true, 6, 5, 1), 0);
	ck_assert_uint_eq(loop_count_unsigned(false, ULONG_MAX, 0, -1UL), ULONG_MAX);
	ck_assert_uint_eq(loop_count_unsigned(false, 10, 0, -3UL), 4);
	ck_assert_uint_eq(loop_count_unsigned(false, 5, 6, -1UL), 0);
}
END_TEST

/* The guarantees of a schedule, as bits. */
enum { EACH_ASCENDING = 1, ALL_ASCENDING = 2 };

static unsigned promises(const struct workshare_setup *s)
{
	if (SCHEDULE_KIND(s->schedule) == SCHEDULE_STATIC)
		return EACH_ASCENDING;
	return s->schedule & SCHEDULE_MONOTONIC ? EACH_ASCENDING | ALL_ASCENDING : 0;
}

/*
 * Plays all threads of @n_threads through the loop, in random turns; @absent of them arrive when the others are done.
 * Each iteration must be executed once, with a value of the loop, and the schedule's guarantees must hold. The thread
 * with the last iteration must get no other iterations after it.
 */
static void play(const struct workshare_setup *s, uint32_t n_threads, uint32_t absent)
{
	bool met[MAX_THREADS] = {0}, over[MAX_THREADS] = {0}, had_last[MAX_THREADS] = {0};
	uint64_t next[MAX_THREADS] = {0};
	uint64_t next_of_all = 0, n_given = 0;
	uint32_t n_over = 0;

	memset(seen, 0, sizeof(seen));
	while (n_over < n_threads) {
		uint32_t present = n_over < n_threads - absent ? n_threads - absent : n_threads;
		uint32_t i = (uint32_t)random_below(present);
		uint64_t first, end, from;
		struct thread *t = &all.threads[i];

		if (over[i])
			continue;
		if (!met[i]) {
			loop_begin(t, s);
			met[i] = true;
		}
		if (!loop_next(t, &first, &end)) {
			over[i] = true;
			n_over++;
			loop_leave(t);
			continue;
		}
		expect(!had_last[i]);
		from = (first - s->start) / s->incr;
		if ((int64_t)s->incr < 0)
			from = (s->start - first) / (0 - s->incr);
		expect(from < s->n);
		expect(s->start + from * s->incr == first);
		if (promises(s) & EACH_ASCENDING)
			expect(from >= next[i]);
		if (promises(s) & ALL_ASCENDING && n_threads > 1)
			expect(from == next_of_all);
		do {
			expect(seen[from]++ == 0);
			from++;
			n_given++;
			first += s->incr;
			expect(from <= s->n);
		} while (from < s->n && first != end);
		next[i] = next_of_all = from;
		if (from == s->n) {
			expect(end == s->end);
			had_last[i] = true;
		}
	}
	expect(n_given == s->n);
}

static const uint32_t schedules[] = {
	SCHEDULE_STATIC,
	SCHEDULE_DYNAMIC,
	SCHEDULE_DYNAMIC | SCHEDULE_MONOTONIC,
	SCHEDULE_GUIDED,
	SCHEDULE_GUIDED | SCHEDULE_MONOTONIC,
};

static void play_all_schedules(struct workshare_setup *s)
{
	static const uint64_t chunks[] = {0, 1, 2, 3, 7, 16, 100, 5000, LONG_MAX, ULONG_MAX};

	for (uint32_t n_threads = 1; n_threads <= MAX_THREADS; n_threads = n_threads * 2 + (n_threads & 1)) {
		team_of_init(&all, n_threads);
		for (size_t k = 0; k < sizeof(schedules) / sizeof(schedules[0]); k++) {
			for (size_t c = 0; c < sizeof(chunks) / sizeof(chunks[0]); c++) {
				loop_setup_schedule(&all.threads[0], s, schedules[k], chunks[c], false);
				play(s, n_threads, 0);
				play(s, n_threads, n_threads - 1);
				play(s, n_threads, n_threads / 2);
			}
		}
		team_of_end(&all);
		team_of_deinit(&all);
	}
}

START_TEST(test_each_iteration_once)
{
	static const int64_t ns[] = {0, 1, 2, 3, 8, 17, 64, 100, 1000, MAX_N};

	for (size_t i = 0; i < sizeof(ns) / sizeof(ns[0]); i++) {
		struct workshare_setup s = signed_loop(-3, -3 + ns[i], 1);

		play_all_schedules(&s);
	}
}
END_TEST

START_TEST(test_steps_and_directions)
{
	struct workshare_setup s = signed_loop(0, 1000, 7);

	play_all_schedules(&s);
	s = signed_loop(500, -501, -11);
	play_all_schedules(&s);
	s = unsigned_loop(false, 300, 5, -2UL);
	play_all_schedules(&s);
}
END_TEST

/* The type cannot represent the value after the last one: the loop's own end is returned instead. */
START_TEST(test_ends_of_the_types)
{
	struct workshare_setup s = signed_loop(LONG_MAX - 100, LONG_MAX, 3);

	play_all_schedules(&s);
	s = signed_loop(LONG_MIN + 100, LONG_MIN, -7);
	play_all_schedules(&s);
	s = signed_loop(LONG_MIN, LONG_MAX, LONG_MAX / 50);
	play_all_schedules(&s);
	s = signed_loop(LONG_MAX, LONG_MIN, LONG_MIN / 20);
	play_all_schedules(&s);
	s = unsigned_loop(true, 0, ULONG_MAX, ULONG_MAX / 99);
	play_all_schedules(&s);
	s = unsigned_loop(true, ULONG_MAX - 77, ULONG_MAX, 5);
	play_all_schedules(&s);
	s = unsigned_loop(false, ULONG_MAX, 0, -(ULONG_MAX / 33));
	play_all_schedules(&s);
	s = unsigned_loop(false, 77, 0, -5UL);
	play_all_schedules(&s);
}
END_TEST

/* 2^64 - 1 iterations are too many to execute, but the first parts of all threads must be right and not overlap. */
START_TEST(test_as_many_iterations_as_there_are)
{
	struct workshare_setup s = signed_loop(LONG_MIN, LONG_MAX, 1);

	ck_assert_uint_eq(s.n, ULONG_MAX);
	for (size_t k = 0; k < sizeof(schedules) / sizeof(schedules[0]); k++) {
		for (uint64_t chunk = 0; chunk < 3; chunk++) {
			int64_t first[4][3], end[4][3];

			team_of_init(&all, 4);
			loop_setup_schedule(&all.threads[0], &s, schedules[k], chunk, false);
			for (uint32_t i = 0; i < 4; i++) {
				loop_begin(&all.threads[i], &s);
				for (uint32_t j = 0; j < 3; j++) {
					if (!loop_next(&all.threads[i], (uint64_t *)&first[i][j],
						       (uint64_t *)&end[i][j]))
						first[i][j] = end[i][j] = 0;
					ck_assert_int_le(first[i][j], end[i][j]);
				}
			}
			for (uint32_t a = 0; a < 12; a++)
				for (uint32_t b = 0; b < a; b++)
					ck_assert(first[a / 3][a % 3] >= end[b / 3][b % 3] ||
						  end[a / 3][a % 3] <= first[b / 3][b % 3]);
			team_of_deinit(&all);
		}
	}
}
END_TEST

/* As gcc computes it in the program: other loops may rely on it. */
START_TEST(test_static_parts)
{
	team_of_init(&all, 4);
	for (int64_t n = 0; n < 50; n++) {
		struct workshare_setup s = signed_loop(0, n, 1);

		loop_setup_schedule(&all.threads[0], &s, SCHEDULE_STATIC, 0, false);
		for (int64_t i = 0; i < 4; i++) {
			int64_t each = n / 4, more = n % 4, first, end;
			int64_t from = i < more ? i * (each + 1) : i * each + more;
			int64_t to = from + each + (i < more);

			loop_begin(&all.threads[i], &s);
			ck_assert_int_eq(loop_next(&all.threads[i], (uint64_t *)&first, (uint64_t *)&end), from < to);
			if (from >= to)
				continue;
			ck_assert_int_eq(first, from);
			ck_assert_int_eq(end, to);
			ck_assert(!loop_next(&all.threads[i], (uint64_t *)&first, (uint64_t *)&end));
		}
	}
	team_of_deinit(&all);
}
END_TEST

START_TEST(test_static_chunks_go_round)
{
	struct workshare_setup s = signed_loop(0, 23, 1);

	team_of_init(&all, 3);
	loop_setup_schedule(&all.threads[0], &s, SCHEDULE_STATIC, 4, false);
	for (int64_t i = 0; i < 3; i++) {
		int64_t first, end, expect = 4 * i;

		for (loop_begin(&all.threads[i], &s); loop_next(&all.threads[i], (uint64_t *)&first, (uint64_t *)&end);
		     expect += 12) {
			ck_assert_int_eq(first, expect);
			ck_assert_int_eq(end, expect + 4 < 23 ? expect + 4 : 23);
		}
		ck_assert_int_ge(expect, 23);
	}
	team_of_deinit(&all);
}
END_TEST

START_TEST(test_runtime_schedule)
{
	struct workshare_setup s = {0};

	team_of_init(&all, 2);
	all.icv.run_sched = SCHEDULE_GUIDED;
	all.icv.run_sched_chunk = 5;
	loop_setup_schedule(&all.threads[0], &s, SCHEDULE_RUNTIME, 0, false);
	ck_assert_uint_eq(s.schedule, SCHEDULE_GUIDED);
	ck_assert_uint_eq(s.chunk, 5);
	loop_setup_schedule(&all.threads[0], &s, SCHEDULE_RUNTIME | SCHEDULE_MONOTONIC, 0, false);
	ck_assert_uint_eq(s.schedule, SCHEDULE_GUIDED | SCHEDULE_MONOTONIC);
	all.icv.run_sched = SCHEDULE_DYNAMIC | SCHEDULE_MONOTONIC;
	loop_setup_schedule(&all.threads[0], &s, SCHEDULE_RUNTIME, 0, false);
	ck_assert_uint_eq(s.schedule, SCHEDULE_DYNAMIC | SCHEDULE_MONOTONIC);
	all.icv.run_sched = SCHEDULE_AUTO;
	loop_setup_schedule(&all.threads[0], &s, SCHEDULE_RUNTIME, 0, false);
	ck_assert_uint_eq(s.schedule, SCHEDULE_STATIC);
	ck_assert_uint_eq(s.chunk, 0);
	team_of_deinit(&all);
}
END_TEST

/* More constructs than a range can number, in few regions, with threads that are behind. */
START_TEST(test_rounds_begin_again)
{
	struct workshare_setup s = signed_loop(0, 40, 1);

	team_of_init(&all, 3);
	loop_setup_schedule(&all.threads[0], &s, SCHEDULE_DYNAMIC, 1, false);
	for (uint32_t i = 0; i < 70000 * 3; i++) {
		play(&s, 3, i % 3);
		if (i % 5000)
			continue;
		team_of_end(&all);
		team_of_begin(&all);
	}
	team_of_deinit(&all);
}
END_TEST

START_TEST(test_cancelled_loop_gives_no_more)
{
	struct workshare_setup s = signed_loop(0, 1000, 1);
	uint64_t first, end;

	for (size_t k = 0; k < sizeof(schedules) / sizeof(schedules[0]); k++) {
		team_of_init(&all, 2);
		loop_setup_schedule(&all.threads[0], &s, schedules[k], 1, false);
		loop_begin(&all.threads[0], &s);
		ck_assert(loop_next(&all.threads[0], &first, &end));
		all.team->cancelled = CANCEL_PARALLEL;
		ck_assert(!loop_next(&all.threads[0], &first, &end));
		loop_begin(&all.threads[1], &s);
		ck_assert(!loop_next(&all.threads[1], &first, &end));
		team_of_end(&all);
		team_of_deinit(&all);
	}
}
END_TEST

/* The region starts within the loop. */
START_TEST(test_combined_loop)
{
	struct workshare_setup s = signed_loop(0, 100, 1);

	for (uint32_t n_threads = 1; n_threads < 4; n_threads++) {
		team_of_init(&all, n_threads);
		for (uint32_t region = 0; region < 20; region++) {
			uint64_t first, end, n = 0;

			loop_setup_schedule(&all.threads[0], &s, schedules[region % 5], region / 5, false);
			team_of_begin(&all);
			loop_begin_region(&all.threads[0], &s);
			for (uint32_t i = 0; i < n_threads; i++)
				for (loop_join_region(&all.threads[i]); loop_next(&all.threads[i], &first, &end);)
					n += end - first;
			ck_assert_uint_eq(n, 100);
			team_of_end(&all);
		}
		team_of_deinit(&all);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime/loop");
	TCase *tc = tcase_create("loop");

	tcase_add_test(tc, test_counts);
	tcase_add_test(tc, test_each_iteration_once);
	tcase_add_test(tc, test_steps_and_directions);
	tcase_add_test(tc, test_ends_of_the_types);
	tcase_add_test(tc, test_as_many_iterations_as_there_are);
	tcase_add_test(tc, test_static_parts);
	tcase_add_test(tc, test_static_chunks_go_round);
	tcase_add_test(tc, test_runtime_schedule);
	tcase_add_test(tc, test_rounds_begin_again);
	tcase_add_test(tc, test_cancelled_loop_gives_no_more);
	tcase_add_test(tc, test_combined_loop);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
