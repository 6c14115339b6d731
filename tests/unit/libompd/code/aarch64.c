/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Instructions of aarch64 in the forms of assemblers. tests/arm64/decoder.py compares a whole
 * library with binutils.
 */
#include <elf.h>
#include <stdlib.h>

#include "check_main.h"
#include "code/decode.h"
#include "code/walk.h"

#define AT 0x12340

static struct decode next(uint32_t insn)
{
	struct decode d;

	ck_assert(decode_next((const uint8_t *)&insn, sizeof(insn), AT, &d));
	ck_assert_uint_eq(d.length, 4);
	return d;
}

static void setup(void)
{
	ck_assert(decode_use(EM_AARCH64));
}

START_TEST(test_addresses)
{
	struct decode d = next(0xb00007e8); /* adrp x8, 0x10f000 */

	ck_assert_int_eq(d.kind, DECODE_LEA);
	ck_assert_int_eq(d.operands[1].base, DECODE_PAGE);
	ck_assert_int_eq(d.operands[1].number, 0xfd000);
	d = next(0xf946a908); /* ldr x8, [x8, #3408] */
	ck_assert_int_eq(d.kind, DECODE_MOVE);
	ck_assert_int_eq(d.operands[0].reg, 8);
	ck_assert_int_eq(d.operands[1].kind, DECODE_MEMORY);
	ck_assert_int_eq(d.operands[1].number, 3408);
	d = next(0xf860d908); /* ldr x8, [x8, w0, sxtw #3] */
	ck_assert_int_eq(d.operands[1].index, DECODE_OTHER);
	ck_assert_int_eq(d.operands[1].scale, 8);
}
END_TEST

/*
 * The linker writes a thread-local variable's offset like this in a static program. The walk needs
 * it as the base of all offsets.
 */
START_TEST(test_numbers_in_parts)
{
	static const uint32_t code[] = {0xd2a00021, 0xf2800601, 0xd53bd040, 0x8b010000, 0xb9402800, 0xd65f03c0};
	struct decode d = next(code[1]); /* movk x1, #0x30 */
	static struct code_walk walk;

	ck_assert_int_eq(d.kind, DECODE_INSERT);
	ck_assert_int_eq(d.operands[0].reg, 1);
	ck_assert_int_eq(d.operands[1].number, 0x30);
	d = next(0xf2c00021); /* movk x1, #1, lsl #32 */
	ck_assert_int_eq(d.operands[1].number, INT64_C(1) << 32);
	ck_assert_int_eq(d.operands[1].scale, 32);
	code_walk_init(&walk, NULL);
	code_walk_run(&walk, (const uint8_t *)code, sizeof(code), AT, CODE_ALL_PATHS);
	const struct code_value *value = &walk.events[walk.count - 1].value;
	ck_assert_int_eq(walk.events[walk.count - 1].kind, CODE_RETURN);
	ck_assert_int_eq(value->root, CODE_TLS);
	ck_assert_int_eq(value->offset[0], 0x10030 + 40);
	ck_assert(walk.has_tls_base && !walk.tls_base_conflict);
	ck_assert_int_eq(walk.tls_base, 0x10030);
}
END_TEST

START_TEST(test_comparisons)
{
	struct decode d = next(0xeb25405f); /* cmp x2, w5, uxtw */

	ck_assert_int_eq(d.kind, DECODE_COMPARE);
	ck_assert_int_eq(d.operands[0].reg, 2);
	ck_assert_int_eq(d.operands[1].reg, DECODE_OTHER);
	ck_assert_uint_eq(d.written, 0);
	d = next(0xeb06003f); /* cmp x1, x6 */
	ck_assert_int_eq(d.kind, DECODE_COMPARE);
	ck_assert_int_eq(d.operands[1].reg, 6);
	d = next(0xf1000c1f); /* cmp x0, #3 */
	ck_assert_int_eq(d.operands[1].kind, DECODE_NUMBER);
	ck_assert_int_eq(d.operands[1].number, 3);
	d = next(0xeb010c1f); /* cmp x0, x1, lsl #3 */
	ck_assert_int_eq(d.kind, DECODE_COMPARE);
	ck_assert_int_eq(d.operands[1].reg, DECODE_OTHER);
}
END_TEST

/* A pointer that is followed through a table must not be lost by arithmetic on other registers. */
START_TEST(test_results)
{
	static const struct {
		uint32_t insn;
		unsigned reg;
	} cases[] = {
		{0x530a7d0a, 10}, /* lsr w10, w8, #10 */
		{0x5316556a, 10}, /* lsl w10, w11, #10 */
		{0x12002508, 8},  /* and w8, w8, #0x3ff */
		{0x927cec1f, 31}, /* and sp, x0, #0xfffffffffffffff0 */
		{0x0a090109, 9},  /* and w9, w8, w9 */
		{0x13880d07, 7},  /* ror w7, w8, #3 */
		{0x9b0a2528, 8},  /* madd x8, x9, x10, x9 */
		{0x4b0a0d28, 8},  /* sub w8, w9, w10, lsl #3 */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct decode d = next(cases[i].insn);

		ck_assert_int_eq(d.kind, DECODE_ELSE);
		ck_assert_uint_eq(d.written, 1u << cases[i].reg);
	}
	/* It may change more registers than it names. */
	ck_assert_uint_ne(next(0xdac10020).written, 1u << 0); /* pacia x0, x1 */
}
END_TEST

START_TEST(test_jumps)
{
	struct decode d = next(0x94000002); /* bl +8 */

	ck_assert_int_eq(d.kind, DECODE_CALL);
	ck_assert_uint_eq(d.target, AT + 8);
	d = next(0xb5ffffe0); /* cbnz x0, -4 */
	ck_assert_int_eq(d.kind, DECODE_BRANCH);
	ck_assert_uint_eq(d.target, AT - 4);
	d = next(0xd65f03c0); /* ret */
	ck_assert_int_eq(d.kind, DECODE_RETURN);
}
END_TEST

/* Any word is an instruction, or invalid. An unknown instruction always writes registers. */
START_TEST(test_any_word)
{
	for (uint64_t insn = 0; insn <= UINT32_MAX; insn += 0x10337) {
		const uint32_t word = (uint32_t)insn;
		struct decode d;

		if (!decode_next((const uint8_t *)&word, sizeof(word), AT, &d))
			continue;
		ck_assert_uint_eq(d.length, 4);
		ck_assert_int_le(d.operands[0].reg, 31);
		ck_assert_int_le(d.operands[1].reg, 31);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("code_aarch64");
	TCase *tcase = tcase_create("next");

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_test(tcase, test_addresses);
	tcase_add_test(tcase, test_numbers_in_parts);
	tcase_add_test(tcase, test_comparisons);
	tcase_add_test(tcase, test_results);
	tcase_add_test(tcase, test_jumps);
	tcase_add_test(tcase, test_any_word);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
