/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/source/lines.c: the addresses of this very file's lines, in a fork of the test. */
#include "target/source/lines.h"
#include "target/modules/modules.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "child_fixture.h"

static volatile int sink;

static void wait_for_ever(void)
{
	child_shared->ready = 1;
	for (;;)
		pause();
}

/* The lines of these functions are found by their distance from each other. */
enum { PLAIN = __LINE__ + 4 };
__attribute__((noinline)) static void plain(int n)
{
	/* A line without code cannot have a stop. */
	sink = n + 41;
}

enum { INLINED = __LINE__ + 3 };
static inline __attribute__((always_inline)) void inlined(int n)
{
	sink = n * 43;
}

__attribute__((noinline)) static void one(int n)
{
	inlined(n);
	sink = 1;
}

__attribute__((noinline)) static void other(int n)
{
	inlined(n + 7);
	sink = 2;
}

static void setup(void)
{
	plain(1);
	one(1);
	other(1);
	child = child_start(wait_for_ever);
	ck_assert_no_err(target_attach(child, TARGET_OBSERVE, 200, &t));
	target_view_begin(t);
}

/* Returns the function at number @i of @l. */
static void function_at(const struct lines *l, size_t i, char *name, size_t size)
{
	uint64_t offset;

	ck_assert_uint_lt(i, l->n);
	ck_assert(target_symbol_at(t, l->addresses[i], name, size, &offset));
	/* The compiler may have specialised it: "plain.constprop.0". */
	name[strcspn(name, ".")] = '\0';
}

START_TEST(test_line)
{
	struct lines l;
	char name[64];

	ck_assert_no_err(lines_find(t, __FILE__, PLAIN, &l));
	ck_assert_int_eq(l.line, PLAIN);
	ck_assert_uint_eq(l.n, 1);
	function_at(&l, 0, name, sizeof(name));
	ck_assert_str_eq(name, "plain");
	lines_deinit(&l);
}
END_TEST

START_TEST(test_next_line_with_code)
{
	struct lines l;

	ck_assert_no_err(lines_find(t, "target/source/lines.c", PLAIN - 1, &l));
	ck_assert_int_eq(l.line, PLAIN);
	lines_deinit(&l);
}
END_TEST

START_TEST(test_inlined_function)
{
	struct lines l;
	char first[64], second[64];

	ck_assert_no_err(lines_find(t, "unit/target/source/lines.c", INLINED, &l));
	ck_assert_int_eq(l.line, INLINED);
	ck_assert_uint_eq(l.n, 2);
	ck_assert_uint_lt(l.addresses[0], l.addresses[1]);
	function_at(&l, 0, first, sizeof(first));
	function_at(&l, 1, second, sizeof(second));
	ck_assert(!strcmp(first, "one") ? !strcmp(second, "other") : !strcmp(first, "other") && !strcmp(second, "one"));
	lines_deinit(&l);
}
END_TEST

START_TEST(test_behind_the_end)
{
	struct lines l;
	struct error *err = lines_find(t, "unit/target/source/lines.c", 100000, &l);

	ck_assert(error_is(err, ERR_SYMBOL_NOT_FOUND));
	ck_assert_ptr_nonnull(strstr(error_hint_text(err), "last line"));
	error_destroy(err);
}
END_TEST

START_TEST(test_no_such_file)
{
	static const char *const files[] = {"ines.c", "else/lines.c", "/lines.c/", "", "./"};
	struct lines l;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		ck_assert_err(lines_find(t, files[i], 1, &l), ERR_SYMBOL_NOT_FOUND);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("lines");
	TCase *c = tcase_create("lines_find");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, test_line);
	tcase_add_test(c, test_next_line_with_code);
	tcase_add_test(c, test_inlined_function);
	tcase_add_test(c, test_behind_the_end);
	tcase_add_test(c, test_no_such_file);
	suite_add_tcase(s, c);
	return check_main(s);
}
