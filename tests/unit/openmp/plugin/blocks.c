/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/blocks. */
#include "check_main.h"

#include <stdint.h>

#include "openmp/plugin/blocks.h"

START_TEST(test_free_of_what_was_never_given_is_refused)
{
	static char constant[] = "not ours";
	int local;

	ck_assert(!blocks_free(NULL));
	ck_assert(!blocks_free(constant));
	ck_assert(!blocks_free(&local));
	char *p = blocks_alloc(32);

	ck_assert(!blocks_free(p + 16));
	ck_assert(blocks_free(p));
	ck_assert(!blocks_free(p));
	blocks_free_all();
}
END_TEST

START_TEST(test_thousands_of_blocks_stay_known)
{
	enum { N = 20000 };
	static char *p[N];

	for (int i = 0; i < N; i++)
		p[i] = blocks_alloc((size_t)i % 100);
	ck_assert_uint_eq(blocks_count(), N);
	/* The order differs from the order of creation, so that the table shifts. */
	for (int i = 0; i < N; i += 2)
		ck_assert(blocks_free(p[i]));
	for (int i = 0; i < N; i++) {
		size_t size;

		ck_assert(blocks_size(p[i], &size) == (i % 2 == 1));
		if (i % 2)
			ck_assert_uint_eq(size, (size_t)i % 100);
	}
	for (int i = N - 1; i > 0; i -= 2)
		ck_assert(blocks_free(p[i]));
	ck_assert_uint_eq(blocks_count(), 0);
	blocks_free_all();
}
END_TEST

START_TEST(test_each_library_has_blocks_of_its_own)
{
	char *first = blocks_alloc(8);

	blocks_set_owner(1);
	for (int i = 0; i < 10000; i++)
		ck_assert_ptr_nonnull(blocks_alloc(8));
	ck_assert_uint_eq(blocks_count(), 10000);
	blocks_free_all();
	ck_assert_uint_eq(blocks_count(), 0);
	blocks_set_owner(0);
	ck_assert_uint_eq(blocks_count(), 1);
	ck_assert(blocks_free(first));
	blocks_free_all();
}
END_TEST

START_TEST(test_too_much_is_refused)
{
	ck_assert_ptr_null(blocks_alloc(SIZE_MAX));
	ck_assert_ptr_null(blocks_alloc((size_t)BLOCKS_MAX_BYTES + 1));
	ck_assert_uint_eq(blocks_count(), 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("blocks");
	TCase *t = tcase_create("blocks");

	tcase_add_test(t, test_free_of_what_was_never_given_is_refused);
	tcase_add_test(t, test_thousands_of_blocks_stay_known);
	tcase_add_test(t, test_each_library_has_blocks_of_its_own);
	tcase_add_test(t, test_too_much_is_refused);
	suite_add_tcase(s, t);
	return check_main(s);
}
