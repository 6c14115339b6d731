/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of base/vector: growth keeps the elements, and a failure changes nothing. */
#include "base/vector.h"

#include <stdint.h>
#include <stdlib.h>

#include "check_main.h"

START_TEST(test_vector_growth_keeps_elements)
{
	int *numbers = NULL;
	uint32_t n = 0, cap = 0;

	for (int i = 0; i < 1000; i++) {
		ck_assert(VECTOR_GROW(numbers, n, cap));
		ck_assert_uint_lt(n, cap);
		numbers[n++] = i;
	}
	for (int i = 0; i < 1000; i++)
		ck_assert_int_eq(numbers[i], i);
	ck_assert_uint_le(cap, 2000);
	free(numbers);
}
END_TEST

START_TEST(test_vector_reserve_makes_room_once)
{
	char *bytes = NULL;
	size_t cap = 0;

	ck_assert(VECTOR_RESERVE(bytes, 0, cap));
	ck_assert_ptr_nonnull(bytes);
	ck_assert(VECTOR_RESERVE(bytes, 5000, cap));
	ck_assert_uint_ge(cap, 5000);

	const char *before = bytes;
	ck_assert(VECTOR_RESERVE(bytes, cap, cap));
	ck_assert_ptr_eq(bytes, before);
	free(bytes);
}
END_TEST

START_TEST(test_vector_is_unchanged_without_memory)
{
	uint64_t *numbers = NULL;
	size_t cap = 0;

	ck_assert(VECTOR_RESERVE(numbers, 1, cap));
	size_t before = cap;
	numbers[0] = 7;
	ck_assert(!VECTOR_RESERVE(numbers, SIZE_MAX / 2, cap));
	ck_assert(!VECTOR_RESERVE(numbers, SIZE_MAX, cap));
	ck_assert_uint_eq(cap, before);
	ck_assert_uint_eq(numbers[0], 7);
	free(numbers);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/vector");
	TCase *tc = tcase_create("vector");

	tcase_add_test(tc, test_vector_growth_keeps_elements);
	tcase_add_test(tc, test_vector_reserve_makes_room_once);
	tcase_add_test(tc, test_vector_is_unchanged_without_memory);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
