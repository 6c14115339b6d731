/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of the guesses of target/memory/read_ahead.c. */
#include "target/memory/read_ahead.h"

#include "check_main.h"

#define HEAP 0x555500000000u

static struct read_ahead ahead;
static struct cache cache;

static void setup(void)
{
	ahead = (struct read_ahead){0};
}

static void teardown(void)
{
	cache_deinit(&cache);
}

/* Like target_read(); returns the number of pages that were fetched ahead. */
static size_t ask(uint64_t page, size_t width)
{
	uint64_t more[READ_AHEAD];
	size_t n = 0;

	if (cache_find(&cache, page))
		return 0;
	n = read_ahead_choose(&ahead, &cache, page, width, more);
	ck_assert_uint_le(n, READ_AHEAD);
	for (size_t i = 0; i < width; i++)
		ck_assert_ptr_nonnull(cache_add(&cache, page + i * CACHE_PAGE));
	for (size_t i = 0; i < n; i++) {
		ck_assert_ptr_null(cache_find(&cache, more[i]));
		ck_assert_ptr_nonnull(cache_add(&cache, more[i]));
	}
	return n;
}

START_TEST(test_pairs_of_pages_at_equal_distances)
{
	const uint64_t first = 0x7f0000000ff0u & ~(uint64_t)(CACHE_PAGE - 1), distance = 0x2b000;
	size_t fetched = 0;

	for (uint64_t i = 0; i < 100; i++) {
		fetched += !cache_find(&cache, first + i * distance);
		ask(first + i * distance, 2);
		ck_assert_ptr_nonnull(cache_find(&cache, first + i * distance + CACHE_PAGE));
	}
	ck_assert_uint_le(fetched, 16);
}
END_TEST

START_TEST(test_pairs_that_would_overlap)
{
	for (uint64_t i = 0; i < 3; i++)
		ck_assert_uint_eq(ask(HEAP + i * CACHE_PAGE, 1), 0);
	ck_assert_uint_eq(ask(HEAP + 3 * CACHE_PAGE, 2), 0);
}
END_TEST

START_TEST(test_few_pages_of_each_stack_fetch_nothing_more)
{
	for (uint64_t i = 0; i < 100; i++) {
		/* The distances differ. */
		uint64_t stack = 0x7f0000000000u + i * 0x21000 + i * i % 7 * CACHE_PAGE;

		ck_assert_uint_eq(ask(stack, 1), 0);
		ck_assert_uint_eq(ask(stack + 5 * CACHE_PAGE, 1), 0);
	}
}
END_TEST

START_TEST(test_ends_of_the_addresses)
{
	for (uint64_t i = 8; i > 0; i--)
		ask(0 - i * CACHE_PAGE, 1);
	for (uint64_t i = 1; i < 8; i++)
		ask(i * CACHE_PAGE, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_read_ahead");
	TCase *tc = tcase_create("read_ahead");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_pairs_of_pages_at_equal_distances);
	tcase_add_test(tc, test_pairs_that_would_overlap);
	tcase_add_test(tc, test_few_pages_of_each_stack_fetch_nothing_more);
	tcase_add_test(tc, test_ends_of_the_addresses);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
