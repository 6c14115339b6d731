/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of base/hash: items are found by their hash, also after removals. */
#include "base/hash.h"

#include "check_main.h"

#define N 1000

/* Count the occurrences of @number among the items with the hash @value. */
static int count_item(const struct hash *h, uint32_t value, uint32_t number)
{
	int n = 0;

	hash_for_each(it, h, value) n += it == number;
	return n;
}

START_TEST(test_hash_zeroes_are_an_empty_table)
{
	struct hash h = {0};

	ck_assert_int_eq(count_item(&h, 0, 0), 0);
	hash_remove(&h, 0, 0);
	hash_clear(&h);
	ck_assert_uint_eq(h.n, 0);
	hash_deinit(&h);
}
END_TEST

START_TEST(test_hash_finds_all_items)
{
	struct hash h = {0};

	for (uint32_t i = 0; i < N; i++)
		ck_assert(hash_add(&h, hash_number(i), i));
	for (uint32_t i = 0; i < N; i++)
		ck_assert_int_eq(count_item(&h, hash_number(i), i), 1);
	ck_assert_int_eq(count_item(&h, hash_number(N), N), 0);
	hash_clear(&h);
	for (uint32_t i = 0; i < N; i++)
		ck_assert_int_eq(count_item(&h, hash_number(i), i), 0);
	ck_assert(hash_add(&h, 5, 0));
	ck_assert_int_eq(count_item(&h, 5, 0), 1);
	hash_deinit(&h);
}
END_TEST

/* Few different hashes, at the end of the table too: long chains that wrap around. */
static uint32_t poor_hash(uint32_t i)
{
	return UINT32_MAX - i % 7;
}

START_TEST(test_hash_removes_from_chains)
{
	struct hash h = {0};

	for (uint32_t i = 0; i < N; i++)
		ck_assert(hash_add(&h, poor_hash(i), i));
	for (uint32_t i = 0; i < N; i += 3)
		hash_remove(&h, poor_hash(i), i);
	hash_remove(&h, poor_hash(3), 3);
	for (uint32_t i = 0; i < N; i++)
		ck_assert_int_eq(count_item(&h, poor_hash(i), i), i % 3 != 0);
	ck_assert_uint_eq(h.n, N - (N + 2) / 3);
	for (uint32_t i = 0; i < N; i++)
		hash_remove(&h, poor_hash(i), i);
	ck_assert_uint_eq(h.n, 0);
	hash_deinit(&h);
}
END_TEST

START_TEST(test_hash_of_texts_and_numbers_spreads)
{
	bool taken[256] = {false};
	int n = 0;

	ck_assert_uint_eq(hash_text("omp"), hash_text("omp"));
	ck_assert_uint_ne(hash_text("omp"), hash_text("pmo"));
	/* Addresses of pages differ in few bits. */
	for (uint64_t i = 0; i < 256; i++) {
		bool *slot = &taken[hash_number(0x7f0000000000 + i * 4096) & 255];

		n += !*slot;
		*slot = true;
	}
	ck_assert_int_ge(n, 128);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/hash");
	TCase *tc = tcase_create("hash");

	tcase_add_test(tc, test_hash_zeroes_are_an_empty_table);
	tcase_add_test(tc, test_hash_finds_all_items);
	tcase_add_test(tc, test_hash_removes_from_chains);
	tcase_add_test(tc, test_hash_of_texts_and_numbers_spreads);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
