/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The number of arrived threads at a barrier of the system's libgomp, and damaged words of a barrier. */
#include <omp.h>
#include <string.h>

#include "check_main.h"
#include "gomp/gomp.h"
#include "handles.h"
#include "libompd_oracle.h"
#include "ompd-more.h"
#include "self_target.h"

#define N 3

static bool is_end;

/* All threads except the first arrive at a barrier and stay there. */
static void program(void)
{
#pragma omp parallel num_threads(N)
	{
		if (omp_get_thread_num() == 0)
			oracle_park(0);
		else
			oracle_record(omp_get_thread_num());
		if (!is_end) {
#pragma omp barrier
		}
	}
}

static ompd_parallel_handle_t *region_of(int tag)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(tag));
	ompd_parallel_handle_t *region;

	ck_assert_int_eq(ompd_get_curr_parallel_handle(thread, &region), ompd_rc_ok);
	ompd_rel_thread_handle(thread);
	return region;
}

static void assert_arrived(ompd_parallel_handle_t *region, ompd_rc_t rc, ompd_word_t expected)
{
	ompd_word_t n = -1;

	ck_assert_int_eq(ompd_get_barrier_arrived(region, &n), rc);
	ck_assert_int_eq(n, rc == ompd_rc_ok ? expected : -1);
}

/*
 * The threads have recorded their view and are about to arrive. The first thread is parked, so the
 * number cannot grow further.
 */
static void wait_until_there(ompd_parallel_handle_t *region)
{
	ompd_word_t n = 0;

	do {
		ck_assert_int_eq(ompd_get_barrier_arrived(region, &n), ompd_rc_ok);
		ck_assert_int_lt(n, N);
	} while (n < N - 1);
}

static void observe_count(void)
{
	ompd_parallel_handle_t *region = region_of(0), *outer;

	wait_until_there(region);
	ck_assert_int_eq(ompd_get_enclosing_parallel_handle(region, &outer), ompd_rc_ok);
	assert_arrived(outer, ompd_rc_unavailable, 0);
	ck_assert_int_eq(ompd_get_barrier_arrived(region, NULL), ompd_rc_bad_input);
	ompd_rel_parallel_handle(outer);
	ompd_rel_parallel_handle(region);
}

START_TEST(test_barrier_counts_who_has_come)
{
	is_end = _i;
	oracle_run(program, 1, N, observe_count);
}
END_TEST

/* Replace the words of the barrier. */
static void set_words(ompd_addr_t barrier, uint8_t *bytes, uint32_t span, uint32_t total, uint32_t generation,
		      uint32_t left, uint32_t left_final)
{
	const struct gomp_layout *l = &((const struct gomp *)oracle_process->base.process->data)->layout;

	memcpy(bytes + l->bar_total, &total, sizeof(total));
	memcpy(bytes + l->bar_generation, &generation, sizeof(generation));
	memcpy(bytes + l->bar_awaited, &left, sizeof(left));
	memcpy(bytes + l->bar_awaited_final, &left_final, sizeof(left_final));
	self_target.patches[0] = (struct self_target_patch){.address = barrier, .size = span, .bytes = bytes};
}

static const struct {
	uint32_t total, generation, left, left_final;
	int expected; /* -1: unavailable */
} words[] = {
	{N, 0, N, N, 0},
	{N, 8, 1, N, 2},
	{N, 8, N, 1, 2},
	{N, 1 << 20, 0, N, 3},
	{N, 8, 2, 2, 2},
	/* All threads have arrived and execute tasks; a waiting thread counts as before. */
	{N, 8 | 2, N, N, 3},
	/* Cancelled: libgomp does not count the threads that left. */
	{N, 8 | 4, 2, N, -1},
	{N, 8 | 4 | 2, 2, N, -1},
	/* The barrier of another team, or not a barrier. */
	{N + 1, 8, 1, N, -1},
	{0, 0, 0, 0, -1},
	{N, 8, N + 1, N, -1},
	{N, 8, N, N + 1, -1},
	{N, 8, 0xffffffff, N, -1},
	{N, 8, 1, 0xffffffff, -1},
	/* More threads than the team has. */
	{N, 8, 1, 1, -1},
	{N, 8, 0, 2, -1},
};

static void observe_words(void)
{
	const struct gomp_layout *l = &((const struct gomp *)oracle_process->base.process->data)->layout;
	ompd_parallel_handle_t *region = region_of(0);
	ompd_addr_t barrier = region->ref.team + l->team_barrier;
	uint8_t bytes[256];
	uint32_t span = 0;

	wait_until_there(region);
	offsets_span(&span, l->bar_total, 4);
	offsets_span(&span, l->bar_generation, 4);
	offsets_span(&span, l->bar_awaited, 4);
	offsets_span(&span, l->bar_awaited_final, 4);
	ck_assert_uint_le(span, sizeof(bytes));
	memcpy(bytes, (const void *)(uintptr_t)barrier, span);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		set_words(barrier, bytes, span, words[i].total, words[i].generation, words[i].left,
			  words[i].left_final);
		assert_arrived(region, words[i].expected < 0 ? ompd_rc_unavailable : ompd_rc_ok, words[i].expected);
	}
	self_target_reset();
	/* The number cannot be read. */
	self_target.reads_until_failure = 1;
	ompd_word_t n = -1;

	ck_assert_int_ne(ompd_get_barrier_arrived(region, &n), ompd_rc_ok);
	ck_assert_int_eq(n, -1);
	self_target_reset();
	ompd_rel_parallel_handle(region);
}

START_TEST(test_barrier_words_that_make_no_sense)
{
	oracle_run(program, 1, N, observe_words);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("barrier");
	TCase *barrier = tcase_create("barrier");

	tcase_set_timeout(barrier, 300);
	tcase_add_loop_test(barrier, test_barrier_counts_who_has_come, 0, 2);
	tcase_add_test(barrier, test_barrier_words_that_make_no_sense);
	suite_add_tcase(s, barrier);
	return check_main(s);
}
