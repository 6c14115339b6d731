/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/sampling/place: the names of addresses in a fork of this test. */
#include "openmp/sampling/place.h"

#include <string.h>
#include <unistd.h>

#include "child_fixture.h"
#include "target/target.h"

volatile int place_test_variable[4];
static struct tally tally;

static void wait_for_ever(void)
{
	child_shared->ready = 1;
	for (;;)
		pause();
}

enum { LINE = __LINE__ + 1 };
__attribute__((noinline)) static void some_function(int n)
{
	place_test_variable[0] = n;
}

static void setup(void)
{
	some_function(1);
	ck_assert(tally_init(&tally, true, false));
	attach_child(wait_for_ever, 1, TARGET_OBSERVE, 200);
	target_view_begin(t);
}

static void end(void)
{
	tally_deinit(&tally);
	teardown();
}

static const char *text(uint32_t number)
{
	return texts_get(&tally.texts, number);
}

START_TEST(test_a_function)
{
	struct tally_place place = place_of_function(&tally, t, (uint64_t)(uintptr_t)some_function);

	ck_assert_str_eq(text(place.function), "some_function");
	/* Without debug information there is no line. */
	if (place.line) {
		const char *slash = strrchr(text(place.file), '/');

		ck_assert_str_eq(slash ? slash + 1 : text(place.file), "place.c");
		/* An optimizing compiler may start the function at its body. */
		ck_assert_int_ge(place.line, LINE);
		ck_assert_int_le(place.line, LINE + 2);
	}
	/* A repeated request returns the same numbers. */
	struct tally_place again = place_of_function(&tally, t, (uint64_t)(uintptr_t)some_function);
	ck_assert_mem_eq(&again, &place, sizeof(place));
}
END_TEST

START_TEST(test_a_variable)
{
	uint64_t address = (uint64_t)(uintptr_t)place_test_variable, offset = 1;
	size_t second = sizeof(place_test_variable[0]);

	ck_assert_str_eq(text(place_variable(&tally, t, address, &offset)), "place_test_variable");
	ck_assert_uint_eq(offset, 0);
	ck_assert_str_eq(text(place_variable(&tally, t, address + second, &offset)), "place_test_variable");
	ck_assert_uint_eq(offset, second);
	ck_assert_uint_eq(place_variable(&tally, t, 16, &offset), TEXTS_NONE);
}
END_TEST

START_TEST(test_nothing_is_there)
{
	struct tally_place place = place_of_function(&tally, t, 16);

	ck_assert_uint_eq(place.function, TEXTS_NONE);
	ck_assert_uint_eq(place.file, TEXTS_NONE);
	ck_assert_int_eq(place.line, 0);
}
END_TEST

START_TEST(test_frames)
{
	struct tally_place place = place_of_function(&tally, t, (uint64_t)(uintptr_t)some_function);
	uint32_t region = place_boundary(&tally, TREE_PARALLEL, &place),
		 task = place_boundary(&tally, TREE_TASK, &place);

	ck_assert_uint_ne(region, task);
	ck_assert_uint_eq(place_boundary(&tally, TREE_PARALLEL, &place), region);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/sampling/place");
	TCase *tc = tcase_create("place");

	tcase_add_checked_fixture(tc, setup, end);
	tcase_add_test(tc, test_a_function);
	tcase_add_test(tc, test_a_variable);
	tcase_add_test(tc, test_nothing_is_there);
	tcase_add_test(tc, test_frames);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
