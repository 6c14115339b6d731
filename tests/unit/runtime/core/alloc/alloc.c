/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tests of allocators: handles are checked, limits hold, and destroyed allocators are reused, also by several threads.
 */
#include "core/alloc/alloc.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "core/alloc/pinned.h"

#define N_THREADS 4
#define ROUNDS	  2000

void *pinned_alloc(size_t size)
{
	return calloc(1, size);
}

void pinned_free(void *memory, size_t size)
{
	(void)size;
	free(memory);
}

static uintptr_t create(size_t pool_size)
{
	struct allocator traits = ALLOCATOR_INIT;

	traits.pool_size = pool_size;
	traits.fallback = ALLOC_FB_NULL;
	return alloc_create(&traits);
}

START_TEST(a_handle_of_no_allocator_gives_no_memory)
{
	uintptr_t handles[] = {0,	   ALLOCATOR_PREDEFINED + 1, ALLOCATOR_PINNED - 1, ALLOCATOR_MANAGED + 1, 4096,
			       UINTPTR_MAX};
	void *memory = alloc_get(ALLOCATOR_DEFAULT, 1, 10, false);

	for (size_t i = 0; i < sizeof(handles) / sizeof(*handles); i++) {
		ck_assert_ptr_null(alloc_get(handles[i], 1, 10, true));
		if (handles[i])
			ck_assert_ptr_null(alloc_resize(memory, 20, handles[i]));
		alloc_destroy(handles[i]);
	}
	alloc_free(memory);
}
END_TEST

START_TEST(a_destroyed_allocator_is_used_again_without_its_memory)
{
	uintptr_t a = create(100), b;
	void *memory = alloc_get(a, 1, 60, false);

	alloc_destroy(a);
	alloc_destroy(a);
	ck_assert_ptr_null(alloc_get(a, 1, 10, false));
	b = create(100);
	ck_assert(b != a); /* the program has memory of the first allocator */
	alloc_free(memory);
	ck_assert(create(100) == a);
	memory = alloc_get(a, 1, 60, false);
	ck_assert_ptr_nonnull(memory);
	ck_assert_ptr_null(alloc_get(a, 1, 60, false));
	alloc_free(memory);
	alloc_destroy(a);
	alloc_destroy(b);
}
END_TEST

static void *create_and_destroy(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		uintptr_t a = create(100);
		char *first = alloc_get(a, 1, 60, true), *second = alloc_get(a, 1, 60, true);

		if (!first || second)
			return "another thread has the same allocator";
		memset(first, 1, 60);
		alloc_free(first);
		alloc_destroy(a);
	}
	return unused;
}

START_TEST(no_two_threads_get_the_same)
{
	pthread_t threads[N_THREADS];
	void *fault;

	for (int i = 0; i < N_THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, create_and_destroy, NULL), 0);
	for (int i = 0; i < N_THREADS; i++) {
		pthread_join(threads[i], &fault);
		ck_assert_msg(!fault, "%s", (char *)fault);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("runtime/alloc");
	TCase *tc = tcase_create("alloc");

	tcase_add_test(tc, a_handle_of_no_allocator_gives_no_memory);
	tcase_add_test(tc, a_destroyed_allocator_is_used_again_without_its_memory);
	tcase_add_test(tc, no_two_threads_get_the_same);
	suite_add_tcase(s, tc);

	return check_main(s);
}
