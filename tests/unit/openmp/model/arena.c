/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/arena. */
#include "check_main.h"

#include <stdint.h>
#include <string.h>

#include "openmp/model/arena.h"

START_TEST(test_alloc_is_zeroed_and_aligned)
{
	struct arena a = {0};

	for (size_t size = 0; size < 3000; size += 7) {
		unsigned char *p = arena_alloc(&a, size);

		ck_assert_ptr_nonnull(p);
		ck_assert_uint_eq((uintptr_t)p % _Alignof(max_align_t), 0);
		for (size_t i = 0; i < size; i++)
			ck_assert_uint_eq(p[i], 0);
		memset(p, 0xaa, size);
	}
	arena_deinit(&a);
	ck_assert_ptr_null(a.chunks);
}
END_TEST

START_TEST(test_alloc_larger_than_a_chunk)
{
	struct arena a = {0};
	char *p = arena_alloc(&a, 1 << 20);

	ck_assert_ptr_nonnull(p);
	p[(1 << 20) - 1] = 1;
	ck_assert_ptr_null(arena_alloc(&a, SIZE_MAX));
	arena_deinit(&a);
}
END_TEST

START_TEST(test_strndup_ends_the_copy)
{
	struct arena a = {0};

	ck_assert_str_eq(arena_strndup(&a, "abcdef", 3), "abc");
	arena_deinit(&a);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("arena");
	TCase *t = tcase_create("arena");

	tcase_add_test(t, test_alloc_is_zeroed_and_aligned);
	tcase_add_test(t, test_alloc_larger_than_a_chunk);
	tcase_add_test(t, test_strndup_ends_the_copy);
	suite_add_tcase(s, t);
	return check_main(s);
}
