/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of base/memory_limit.c: the limit, and the report of refused allocations. */
#include "base/memory_limit.h"

#include <stdlib.h>

#include "check_main.h"

#define MB ((size_t)1 << 20)

/* Sanitizers run without a limit. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_LIMIT false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_LIMIT false
#endif
#endif
#ifndef HAS_LIMIT
#define HAS_LIMIT true
#endif

static void *volatile kept;

static bool can_have(size_t size)
{
	void *volatile p = malloc(size);

	free(p);
	return p != NULL;
}

START_TEST(test_who_is_refused_is_noted)
{
	if (!HAS_LIMIT)
		CHECK_SKIP("a sanitizer has malloc() of its own");
	ck_assert(can_have(400 * MB));
	memory_limit_set(256 * MB);
	ck_assert(!memory_limit_was_hit());
	kept = malloc(150 * MB);
	ck_assert_ptr_nonnull(kept);
	ck_assert(!memory_limit_was_hit());
	ck_assert(!can_have(150 * MB));
	ck_assert(memory_limit_was_hit());
	memory_limit_forget();
	ck_assert(!memory_limit_was_hit());
	void *volatile p = calloc(150, MB);
	ck_assert_ptr_null(p);
	ck_assert(memory_limit_was_hit());
	memory_limit_forget();
	p = realloc(kept, 255 * MB);
	ck_assert_ptr_null(p);
	ck_assert(memory_limit_was_hit());
	free(kept);
	/* The refusal counts until it is cleared, although there is room now. */
	ck_assert(memory_limit_is_near());
	memory_limit_forget();
	ck_assert(!memory_limit_is_near());
}
END_TEST

START_TEST(test_what_nobody_could_have_is_not)
{
	if (!HAS_LIMIT)
		CHECK_SKIP("a sanitizer has malloc() of its own");
	memory_limit_set(256 * MB);
	ck_assert(!can_have(300 * MB));
	memory_limit_narrow(MB);
	ck_assert(!can_have(100 * MB));
	memory_limit_widen();
	ck_assert(!memory_limit_was_hit());
	ck_assert(can_have(100 * MB));
	memory_limit_lift();
	ck_assert(can_have(300 * MB));
	ck_assert(!memory_limit_was_hit());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base_memory_limit");
	TCase *t = tcase_create("limit");

	tcase_add_test(t, test_who_is_refused_is_noted);
	tcase_add_test(t, test_what_nobody_could_have_is_not);
	suite_add_tcase(suite, t);
	return check_main(suite);
}
