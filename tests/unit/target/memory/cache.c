/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The page cache of target/memory/cache.c. */
#include "target/memory/cache.h"

#include <string.h>

#include "check_main.h"

START_TEST(test_cache_finds_what_was_added)
{
	struct cache c = {0};

	for (uint64_t i = 0; i < 1000; i++) {
		struct cache_slot *s = cache_add(&c, i * 7 * CACHE_PAGE);
		ck_assert_ptr_nonnull(s);
		memset(s->page, (int)i, CACHE_PAGE);
	}
	for (uint64_t i = 0; i < 1000; i++) {
		struct cache_slot *s = cache_find(&c, i * 7 * CACHE_PAGE);
		ck_assert_ptr_nonnull(s);
		ck_assert_uint_eq(s->page[4095], i & 255);
	}
	ck_assert_ptr_null(cache_find(&c, CACHE_PAGE));
	cache_deinit(&c);
}
END_TEST

START_TEST(test_cache_new_view_forgets_pages_and_remembers_used_ones)
{
	struct cache c = {0};

	cache_note_use(cache_add(&c, 0x1000), 0, 8);
	cache_add(&c, 0x2000);
	cache_note_use(cache_add(&c, 0x3000), 0xff0, 0x1000);
	cache_begin_view(&c);
	ck_assert_ptr_null(cache_find(&c, 0x1000));
	ck_assert_uint_eq(c.n_prime, 2);
	ck_assert_uint_eq(c.prime[0].addr, 0x1000);
	ck_assert_uint_eq(c.prime[1].addr, 0x3000);
	ck_assert_uint_eq(c.prime[0].recent.from, 0);
	ck_assert_uint_eq(c.prime[0].recent.to, CACHE_BLOCK);
	ck_assert_uint_eq(c.prime[1].recent.from, CACHE_PAGE - CACHE_BLOCK);
	ck_assert_uint_eq(c.prime[1].recent.to, CACHE_PAGE);
	cache_deinit(&c);
}
END_TEST

START_TEST(test_cache_empty_view_keeps_the_list_of_the_one_before)
{
	struct cache c = {0};

	cache_note_use(cache_add(&c, 0x1000), 0, 8);
	cache_begin_view(&c);
	cache_begin_view(&c);
	ck_assert_uint_eq(c.n_prime, 1);
	cache_deinit(&c);
}
END_TEST

/* Like target_prime(). */
static void prime(struct cache *c)
{
	for (size_t i = 0; i < c->n_prime; i++) {
		struct cache_slot *s = cache_add(c, c->prime[i].addr);

		s->recent = c->prime[i].recent;
		s->older = c->prime[i].older;
		s->unused = c->prime[i].unused;
		s->valid_to = CACHE_PAGE;
	}
}

/* Each view starts with the pages that were read ahead for it. */
static void read_ahead(struct cache *c)
{
	cache_begin_view(c);
	prime(c);
}

START_TEST(test_cache_last_use_is_known_on_only_if_used_again)
{
	struct cache c = {0};

	cache_note_use(cache_add(&c, 0x1000), 0, 8);
	cache_note_use(cache_add(&c, 0x2000), 0, 8);
	cache_note_use(cache_find(&c, 0x2000), 0xe00, 0xe08);
	cache_begin_last_use(&c);
	ck_assert_uint_eq(c.n_prime, 2);
	read_ahead(&c);
	ck_assert_uint_eq(cache_wanted(cache_find(&c, 0x2000)).to, CACHE_PAGE);
	cache_note_use(cache_find(&c, 0x2000), 0, 8);
	cache_begin_view(&c);
	ck_assert_uint_eq(c.n_prime, 1);
	ck_assert_uint_eq(c.prime[0].addr, 0x2000);
	ck_assert_uint_eq(c.prime[0].recent.to, 0);
	ck_assert_uint_eq(c.prime[0].older.to, CACHE_BLOCK);
	cache_deinit(&c);
}
END_TEST

/* Like the samples of a profile. */
START_TEST(test_cache_view_that_asks_for_the_same_has_what_the_last_ones_used)
{
	struct cache c = {0};

	cache_note_use(cache_add(&c, 0x1000), 0, 8);
	cache_note_use(cache_add(&c, 0x2000), 0, 8);
	cache_note_use(cache_add(&c, 0x3000), 0, 8);
	for (unsigned i = 0; i < 3 * CACHE_MAX_AGE; i++) {
		cache_begin_view_again(&c);
		prime(&c);
		ck_assert_ptr_nonnull(cache_find(&c, 0x1000));
		/* The page is needed now and then. */
		ck_assert_ptr_nonnull(cache_find(&c, 0x2000));
		/* The page was needed once, long ago. */
		ck_assert(!cache_find(&c, 0x3000) == (i >= CACHE_AGAIN_AGE));
		cache_note_use(cache_find(&c, 0x1000), 0, 8);
		if (i % CACHE_AGAIN_AGE == CACHE_AGAIN_AGE - 1)
			cache_note_use(cache_find(&c, 0x2000), 0, 8);
	}
	cache_deinit(&c);
}
END_TEST

START_TEST(test_cache_what_is_not_used_any_more_is_not_read_ahead_for_ever)
{
	struct cache c = {0};

	cache_note_use(cache_add(&c, 0x1000), 0x200, 0x208);
	cache_note_use(cache_find(&c, 0x1000), 0xe00, 0xe08);
	cache_note_use(cache_add(&c, 0x2000), 0, 8);
	for (unsigned i = 0; i < 3 * CACHE_MAX_AGE; i++) {
		struct cache_range wanted;

		read_ahead(&c);
		wanted = cache_wanted(cache_find(&c, 0x1000));
		ck_assert_uint_eq(wanted.from, 0x200);
		ck_assert(wanted.to == 0x1000 || i >= CACHE_MAX_AGE);
		ck_assert(wanted.to == 0x200 + CACHE_BLOCK || i < 2 * CACHE_MAX_AGE);
		ck_assert(cache_find(&c, 0x2000) || i >= CACHE_MAX_AGE);
		ck_assert(!cache_find(&c, 0x2000) || i < 2 * CACHE_MAX_AGE);
		cache_note_use(cache_find(&c, 0x1000), 0x210, 0x218);
	}
	cache_deinit(&c);
}
END_TEST

START_TEST(test_cache_is_bounded)
{
	struct cache c = {0};

	for (uint64_t i = 0; i < CACHE_MAX_PAGES; i++)
		ck_assert_ptr_nonnull(cache_add(&c, i * CACHE_PAGE));
	ck_assert_ptr_null(cache_add(&c, (uint64_t)CACHE_MAX_PAGES * CACHE_PAGE));
	cache_deinit(&c);
}
END_TEST

START_TEST(test_cache_truncate_drops_the_last_pages)
{
	struct cache c = {0};

	cache_add(&c, 0x1000);
	cache_add(&c, 0x2000);
	cache_truncate(&c, 1);
	ck_assert_ptr_nonnull(cache_find(&c, 0x1000));
	ck_assert_ptr_null(cache_find(&c, 0x2000));
	cache_deinit(&c);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_cache");
	TCase *tc = tcase_create("cache");

	tcase_add_test(tc, test_cache_finds_what_was_added);
	tcase_add_test(tc, test_cache_new_view_forgets_pages_and_remembers_used_ones);
	tcase_add_test(tc, test_cache_last_use_is_known_on_only_if_used_again);
	tcase_add_test(tc, test_cache_empty_view_keeps_the_list_of_the_one_before);
	tcase_add_test(tc, test_cache_view_that_asks_for_the_same_has_what_the_last_ones_used);
	tcase_add_test(tc, test_cache_what_is_not_used_any_more_is_not_read_ahead_for_ever);
	tcase_add_test(tc, test_cache_is_bounded);
	tcase_add_test(tc, test_cache_truncate_drops_the_last_pages);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
