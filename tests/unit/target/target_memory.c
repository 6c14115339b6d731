/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/target_memory on a fake target: reads and their cache, for every access method. */
#include "target/target.h"

#include <string.h>

#include "check_main.h"
#include "fake_target.h"
#include "target/target_ops.h"

static struct target *t;

static void setup(void)
{
	t = fake_target_create(TARGET_STOP);
}

static void teardown(void)
{
	target_destroy(t);
}

START_TEST(test_read_crosses_pages)
{
	unsigned char bytes[3 * CACHE_PAGE], got[sizeof(bytes)];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 7);
	fake_target_map(t, 0x10000, bytes, sizeof(bytes));
	ck_assert_no_err(target_read(t, 0x10ff0, got, 0x20));
	ck_assert_mem_eq(got, bytes + 0xff0, 0x20);
	ck_assert_no_err(target_read(t, 0x10000, got, sizeof(got)));
	ck_assert_mem_eq(got, bytes, sizeof(got));
}
END_TEST

START_TEST(test_read_of_a_page_that_is_mapped_in_part)
{
	char got[4];

	fake_target_map(t, 0x20ffc, "abcd", 4);
	ck_assert_no_err(target_read(t, 0x20ffc, got, 4));
	ck_assert_mem_eq(got, "abcd", 4);
}
END_TEST

START_TEST(test_read_never_crosses_into_the_unmapped)
{
	char got[8];
	struct error *err;

	fake_target_map(t, 0x30000, NULL, CACHE_PAGE);
	err = target_read(t, 0x30ffc, got, 8);
	ck_assert(error_is(err, ERR_MEMORY_UNREADABLE));
	ck_assert_str_eq(err->details[0].key, "address");
	ck_assert_str_eq(err->details[0].value, "0x31000");
	error_destroy(err);
	ck_assert_err(target_read(t, 0x50000, got, 1), ERR_MEMORY_UNREADABLE);
	ck_assert_err(target_read(t, UINT64_MAX - 2, got, 8), ERR_MEMORY_UNREADABLE);
}
END_TEST

START_TEST(test_read_again_comes_from_the_cache)
{
	char got[8];

	fake_target_map(t, 0x30000, NULL, CACHE_PAGE);
	ck_assert_no_err(target_read(t, 0x30000, got, 8));
	size_t n = fake_target_n_reads(t);
	for (int i = 0; i < 100; i++)
		ck_assert_no_err(target_read(t, 0x30000 + (uint64_t)i * 8, got, 8));
	ck_assert_uint_eq(fake_target_n_reads(t), n);
}
END_TEST

START_TEST(test_new_view_sees_new_bytes)
{
	uint32_t got;

	fake_target_map(t, 0x30000, NULL, CACHE_PAGE);
	ck_assert_no_err(target_read(t, 0x30000, &got, 4));
	fake_target_poke_u32(t, 0x30000, 7);
	ck_assert_no_err(target_read(t, 0x30000, &got, 4));
	ck_assert_uint_eq(got, 0);
	target_view_begin(t);
	ck_assert_no_err(target_read(t, 0x30000, &got, 4));
	ck_assert_uint_eq(got, 7);
}
END_TEST

START_TEST(test_new_view_reads_the_pages_of_the_last_one_together)
{
	char got[1];

	fake_target_map(t, 0x100000, NULL, 100 * CACHE_PAGE);
	for (uint64_t i = 0; i < 100; i++)
		ck_assert_no_err(target_read(t, 0x100000 + i * CACHE_PAGE, got, 1));
	target_view_begin(t);
	ck_assert_no_err(target_read(t, 0x100000, got, 1));
	size_t n = fake_target_n_reads(t);
	for (uint64_t i = 0; i < 100; i++)
		ck_assert_no_err(target_read(t, 0x100000 + i * CACHE_PAGE, got, 1));
	ck_assert_uint_eq(fake_target_n_reads(t), n);
}
END_TEST

/* Like the lists of thread descriptors. */
#define STACK	 0x801000u
#define N_STACKS 100

static size_t reads_of_stacks(uint64_t first, int64_t distance)
{
	size_t before;

	for (uint64_t i = 0; i < N_STACKS; i++) {
		fake_target_map(t, first + i * (uint64_t)distance, NULL, CACHE_PAGE);
		fake_target_poke_u64(t, first + i * (uint64_t)distance, i);
	}
	before = fake_target_n_calls(t);
	for (uint64_t i = 0; i < N_STACKS; i++) {
		uint64_t got = UINT64_MAX;

		ck_assert_no_err(target_read(t, first + i * (uint64_t)distance, &got, sizeof(got)));
		ck_assert_uint_eq(got, i);
	}
	return fake_target_n_calls(t) - before;
}

START_TEST(test_pages_at_equal_distances_are_fetched_together)
{
	ck_assert_uint_le(reads_of_stacks(0x7f0000000000, STACK), 12);
	ck_assert_uint_le(reads_of_stacks(0x6f0000000000, -(int64_t)STACK), 12);
	/* At the end of the address space. */
	uint64_t got, last = UINT64_MAX - 4 * CACHE_PAGE + 1;

	fake_target_map(t, last - 8 * CACHE_PAGE, NULL, 10 * CACHE_PAGE);
	for (uint64_t i = 0; i < 10; i++)
		ck_assert_no_err(target_read(t, last - (8 - i) * CACHE_PAGE, &got, sizeof(got)));
}
END_TEST

START_TEST(test_nothing_is_fetched_ahead_while_it_stands)
{
	ck_assert_no_err(target_stop(t, 1000));
	ck_assert_uint_eq(reads_of_stacks(0x7f0000000000, STACK), N_STACKS);
	int64_t us;
	ck_assert_no_err(target_resume(t, &us));
}
END_TEST

START_TEST(test_what_was_fetched_in_vain_is_not_copied)
{
	uint64_t got;

	for (uint64_t i = 0; i < 20; i++)
		fake_target_map(t, 0x7f0000000000 + i * STACK, NULL, CACHE_PAGE);
	for (uint64_t i = 0; i < 5; i++)
		ck_assert_no_err(target_read(t, 0x7f0000000000 + i * STACK, &got, sizeof(got)));
	target_view_begin(t);
	ck_assert_uint_eq(t->cache.n_prime, 5);
}
END_TEST

START_TEST(test_what_a_warm_up_searched_is_not_copied)
{
	static unsigned char got[100 * CACHE_PAGE];
	uint64_t word;

	fake_target_map(t, 0x100000, NULL, sizeof(got));
	fake_target_poke_u64(t, 0x100010, 5);
	fake_target_map(t, 0x500000, NULL, 2 * CACHE_PAGE);
	target_warm_up(t, true);
	ck_assert_no_err(target_read(t, 0x100000, got, sizeof(got)));
	ck_assert_uint_eq(got[0x10], 5);
	ck_assert_no_err(target_read(t, 0x500000, &word, sizeof(word)));
	ck_assert_no_err(target_read(t, 0x501000, &word, sizeof(word)));
	target_warm_up(t, false);
	ck_assert_uint_eq(t->cache.n_prime, 2);
	/* The page is read ahead for the next view, and dropped if that view does not need it. */
	ck_assert_no_err(target_read(t, 0x500000, &word, sizeof(word)));
	target_view_begin(t);
	ck_assert_uint_eq(t->cache.n_prime, 1);
	ck_assert_uint_eq(t->cache.prime[0].addr, 0x500000);
}
END_TEST

START_TEST(test_the_same_view_again_reads_what_was_used)
{
	struct target *copying = fake_target_create_copying();
	uint64_t got;

	fake_target_map(copying, 0x100000, NULL, 2 * CACHE_PAGE);
	fake_target_poke_u64(copying, 0x100808, 1);
	fake_target_poke_u64(copying, 0x100010, 2);
	fake_target_poke_u64(copying, 0x101000, 3);
	ck_assert_no_err(target_read(copying, 0x100808, &got, sizeof(got)));
	ck_assert_no_err(target_read(copying, 0x101000, &got, sizeof(got)));
	target_view_again(copying);
	/* The page is read at once, not on request. */
	fake_target_poke_u64(copying, 0x100808, 9);
	ck_assert_no_err(target_read(copying, 0x100808, &got, sizeof(got)));
	ck_assert_uint_eq(got, 1);
	fake_target_poke_u64(copying, 0x100808, 1);
	const struct cache_slot *slot = cache_find(&copying->cache, 0x100000);
	ck_assert_uint_eq(slot->valid_from, 0x800);
	ck_assert_uint_eq(slot->valid_to, 0x800 + CACHE_BLOCK);
	ck_assert_no_err(target_read(copying, 0x101000, &got, sizeof(got)));
	ck_assert_uint_eq(got, 3);
	/* A larger read fetches the page, once. */
	ck_assert_no_err(target_read(copying, 0x100010, &got, sizeof(got)));
	ck_assert_uint_eq(got, 2);
	size_t n = fake_target_n_reads(copying);
	for (uint64_t i = 0; i + sizeof(got) <= CACHE_PAGE; i += sizeof(got))
		ck_assert_no_err(target_read(copying, 0x100000 + i, &got, sizeof(got)));
	ck_assert_uint_eq(fake_target_n_reads(copying), n);
	/* Across both pages: the rest of the second page, too. */
	unsigned char bytes[2 * CACHE_PAGE];
	ck_assert_no_err(target_read(copying, 0x100000, bytes, sizeof(bytes)));
	ck_assert_uint_eq(bytes[0x808], 1);
	ck_assert_uint_eq(bytes[0x1000], 3);
	/* Other views read whole pages. */
	target_view_begin(copying);
	ck_assert_no_err(target_read(copying, 0x101000, &got, sizeof(got)));
	ck_assert_uint_eq(cache_find(&copying->cache, 0x101000)->valid_to, CACHE_PAGE);
	target_destroy(copying);
}
END_TEST

START_TEST(test_pages_that_went_away_are_noticed)
{
	char got[1];

	fake_target_map(t, 0x100000, NULL, CACHE_PAGE);
	fake_target_map(t, 0x200000, NULL, CACHE_PAGE);
	ck_assert_no_err(target_read(t, 0x100000, got, 1));
	ck_assert_no_err(target_read(t, 0x200000, got, 1));
	fake_target_unmap(t, 0x100000);
	target_view_begin(t);
	ck_assert_no_err(target_read(t, 0x200000, got, 1));
	ck_assert_err(target_read(t, 0x100000, got, 1), ERR_MEMORY_UNREADABLE);
}
END_TEST

START_TEST(test_read_after_the_stop_timed_out_fails_even_from_the_cache)
{
	char got[1];

	fake_target_map(t, 0x100000, NULL, CACHE_PAGE);
	ck_assert_no_err(target_read(t, 0x100000, got, 1));
	fake_target_fail(t, ERR_STOP_TIMEOUT);
	ck_assert_err(target_read(t, 0x100000, got, 1), ERR_STOP_TIMEOUT);
}
END_TEST

START_TEST(test_string_up_to_its_end)
{
	char got[16];

	fake_target_map(t, 0x40ffa, "hello", 6);
	ck_assert_no_err(target_read_string(t, 0x40ffa, got, sizeof(got)));
	ck_assert_str_eq(got, "hello");
	ck_assert_no_err(target_read_string(t, 0x40ffa, got, 6));
	ck_assert_err(target_read_string(t, 0x40ffa, got, 5), ERR_MEMORY_UNREADABLE);
}
END_TEST

START_TEST(test_string_over_a_page_border)
{
	char got[64];

	fake_target_map(t, 0x40ff0, "0123456789abcdefghijklmnop", 27);
	ck_assert_no_err(target_read_string(t, 0x40ff0, got, sizeof(got)));
	ck_assert_str_eq(got, "0123456789abcdefghijklmnop");
}
END_TEST

START_TEST(test_string_without_end_fails)
{
	char got[64];

	fake_target_map(t, 0x40ffd, "abc", 3);
	ck_assert_err(target_read_string(t, 0x40ffd, got, sizeof(got)), ERR_MEMORY_UNREADABLE);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_memory");
	TCase *read = tcase_create("read");
	TCase *string = tcase_create("read_string");

	tcase_add_checked_fixture(read, setup, teardown);
	tcase_add_checked_fixture(string, setup, teardown);
	tcase_add_test(read, test_read_crosses_pages);
	tcase_add_test(read, test_read_of_a_page_that_is_mapped_in_part);
	tcase_add_test(read, test_read_never_crosses_into_the_unmapped);
	tcase_add_test(read, test_read_again_comes_from_the_cache);
	tcase_add_test(read, test_new_view_sees_new_bytes);
	tcase_add_test(read, test_new_view_reads_the_pages_of_the_last_one_together);
	tcase_add_test(read, test_pages_at_equal_distances_are_fetched_together);
	tcase_add_test(read, test_nothing_is_fetched_ahead_while_it_stands);
	tcase_add_test(read, test_what_was_fetched_in_vain_is_not_copied);
	tcase_add_test(read, test_what_a_warm_up_searched_is_not_copied);
	tcase_add_test(read, test_the_same_view_again_reads_what_was_used);
	tcase_add_test(read, test_pages_that_went_away_are_noticed);
	tcase_add_test(read, test_read_after_the_stop_timed_out_fails_even_from_the_cache);
	tcase_add_test(string, test_string_up_to_its_end);
	tcase_add_test(string, test_string_over_a_page_border);
	tcase_add_test(string, test_string_without_end_fails);
	suite_add_tcase(suite, read);
	suite_add_tcase(suite, string);
	return check_main(suite);
}
