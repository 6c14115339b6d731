/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/unwind/unwind_range on this program: its functions, and some with handwritten tables. */
#include "check_main.h"
#include "child.h"

#include "base/error.h"
#include "target/modules/modules.h"
#include "target/target.h"
#include "target/unwind/unwind_range.h"

#define BEGIN(name) ".text\n.globl " #name "\n" #name ":\n.cfi_startproc\n"
#define END(name)   ".cfi_endproc\n" #name "_end: nop\n.globl " #name "_end\n"

extern const unsigned char plain[], plain_end[], catching[], catching_end[], first_pad[], second_pad[], odd[], bare[];

__asm__(BEGIN(plain) "nop\nnop\nret\n" END(plain));
/* No entry. */
__asm__(".text\n.globl bare\nbare: nop\nnop\nnop\n");
/* Three calls: two with landing pads, where the first pad appears twice, and one without. */
__asm__(BEGIN(catching) ".cfi_personality 0x9b, personality\n.cfi_lsda 0x1b, table\n"
			"nop\nnop\nnop\nret\nfirst_pad: nop\nret\nsecond_pad: nop\nret\n" END(
				catching) ".globl first_pad, second_pad\n"
					  ".section .gcc_except_table, \"a\", @progbits\n"
					  "table: .byte 0xff, 0xff, 0x01\n.uleb128 rows_end - rows\n"
					  "rows: .uleb128 0, 1, first_pad - catching, 0\n.uleb128 1, 1, 0, 0\n.uleb128 "
					  "2, 1, first_pad - catching, 1\n"
					  ".uleb128 3, 1, second_pad - catching, 0\nrows_end:\n"
					  ".section .data.rel.ro, \"aw\"\n.balign 8\npersonality: .quad 0\n.text\n");
/* A table in a form that no compiler writes. */
__asm__(BEGIN(odd) ".cfi_personality 0x9b, personality\n.cfi_lsda 0x1b, odd_table\nnop\nret\n" END(
	odd) ".section .gcc_except_table, \"a\", @progbits\nodd_table: .byte 0xff, 0xff, 0x7b, 100, 1, 1, 1, "
	     "1\n.text\n");

static struct target *t;
static pid_t copy;

static void setup(void)
{
	/* A copy of this program. */
	copy = child_start(child_sleeper);
	ck_assert_no_err(target_attach(copy, TARGET_OBSERVE, 1000, &t));
	target_view_begin(t);
	const struct target_module *modules;
	size_t n;
	ck_assert_no_err(target_modules(t, &modules, &n));
}

static void teardown(void)
{
	target_destroy(t);
	child_end(copy);
}

static uint64_t at(const unsigned char *place)
{
	return (uint64_t)(uintptr_t)place;
}

START_TEST(test_range_of_a_function)
{
	struct unwind_range r;

	for (const unsigned char *pc = plain; pc < plain_end; pc++) {
		ck_assert(unwind_range_find(t, at(pc), &r));
		ck_assert_uint_eq(r.start, at(plain));
		ck_assert_uint_eq(r.end, at(plain_end));
		ck_assert_uint_eq(r.n_pads, 0);
	}
	ck_assert(unwind_range_find(t, (uint64_t)(uintptr_t)teardown, &r));
	ck_assert_uint_eq(r.start, (uint64_t)(uintptr_t)teardown);
	/* In a library. */
	ck_assert(unwind_range_find(t, (uint64_t)(uintptr_t)getpid + 1, &r));
	ck_assert_uint_eq(r.start, (uint64_t)(uintptr_t)getpid);
}
END_TEST

START_TEST(test_landing_pads)
{
	struct unwind_range r;

	ck_assert(unwind_range_find(t, at(catching) + 1, &r));
	ck_assert_uint_eq(r.start, at(catching));
	ck_assert_uint_eq(r.end, at(catching_end));
	ck_assert_uint_eq(r.n_pads, 2);
	ck_assert_uint_eq(r.pads[0], at(first_pad));
	ck_assert_uint_eq(r.pads[1], at(second_pad));
}
END_TEST

START_TEST(test_what_is_not_known)
{
	struct unwind_range r;

	ck_assert(!unwind_range_find(t, at(bare), &r));
	ck_assert(!unwind_range_find(t, at(odd), &r));
	ck_assert(!unwind_range_find(t, 0, &r));
	ck_assert(!unwind_range_find(t, UINT64_MAX, &r));
	ck_assert(!unwind_range_find(t, (uint64_t)(uintptr_t)&t, &r));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target/unwind/unwind_range");
	TCase *tc = tcase_create("unwind_range");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_range_of_a_function);
	tcase_add_test(tc, test_landing_pads);
	tcase_add_test(tc, test_what_is_not_known);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
