/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/unwind/prologue: where functions save registers. */
#include "target/unwind/prologue.h"

#include "check_main.h"
#include "target/arch/arch.h"

#define BTI	   0xd503245fu
#define PUSH_FP	   0xa9bf7bfdu /* stp x29, x30, [sp, #-16]! */
#define PUSH_19_20 0xa9bf53f3u /* stp x19, x20, [sp, #-16]! */
#define FP_IS_SP   0x910003fdu /* mov x29, sp */
#define SUB_SP	   0xd10083ffu /* sub sp, sp, #32 */
#define MOV_9_1	   0x320003e9u /* mov w9, #1 */
#define CODE(...)  (const unsigned char *)(const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__})

static struct prologue p;

static void setup(void)
{
	arch_use(&arch_aarch64);
}

/* Returns how far below the CFA @reg is; 0: nowhere. */
static uint64_t below(unsigned reg)
{
	for (size_t i = 0; i < p.n_saves; i++) {
		if (p.saves[i].reg == reg)
			return p.saves[i].below;
	}
	return 0;
}

/* The start of LLVM's __kmp_invoke_microtask(): its frame pointer does not point at its caller's saved registers. */
START_TEST(test_pushes_before_the_frame_pointer)
{
	ck_assert(prologue_read(CODE(PUSH_FP, PUSH_19_20, FP_IS_SP, MOV_9_1, PUSH_19_20), &p));
	ck_assert_uint_eq(p.n_saves, 4);
	ck_assert_uint_eq(below(29), 16);
	ck_assert_uint_eq(below(30), 8);
	ck_assert_uint_eq(below(19), 32);
	ck_assert_uint_eq(below(20), 24);
	ck_assert_uint_eq(p.pointer_below, 32);
}
END_TEST

START_TEST(test_frame_pointer_first)
{
	ck_assert(prologue_read(CODE(BTI, PUSH_FP, FP_IS_SP, SUB_SP), &p));
	ck_assert_uint_eq(p.n_saves, 2);
	ck_assert_uint_eq(p.pointer_below, 16);
	/* A second save of the same register stores the function's own value. */
	ck_assert(prologue_read(CODE(PUSH_FP, FP_IS_SP, SUB_SP, PUSH_FP), &p));
	ck_assert_uint_eq(below(29), 16);
	ck_assert_uint_eq(p.n_saves, 2);
}
END_TEST

START_TEST(test_too_little_is_nothing)
{
	ck_assert(!prologue_read(CODE(PUSH_FP), &p));
	ck_assert(!prologue_read(CODE(FP_IS_SP), &p));
	ck_assert(!prologue_read(CODE(PUSH_19_20, FP_IS_SP), &p));
	ck_assert(!prologue_read(CODE(MOV_9_1, PUSH_FP, FP_IS_SP), &p));
	ck_assert(!prologue_read((const unsigned char *)"\xfd", 1, &p));
	ck_assert(!prologue_read(NULL, 0, &p));
}
END_TEST

START_TEST(test_return_address_on_the_stack)
{
	arch_use(&arch_x86_64);
	/* push %rbp; mov %rsp, %rbp */
	ck_assert(!prologue_read((const unsigned char *)"\x55\x48\x89\xe5", 4, &p));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_prologue");
	TCase *tcase = tcase_create("prologue_read");

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_test(tcase, test_pushes_before_the_frame_pointer);
	tcase_add_test(tcase, test_frame_pointer_first);
	tcase_add_test(tcase, test_too_little_is_nothing);
	tcase_add_test(tcase, test_return_address_on_the_stack);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
