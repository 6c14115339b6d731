/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * code/decode_memo returns the same as decode_next(), for any bytes at any address, at the first
 * and at later calls.
 */
#include "check_main.h"

#include <stdlib.h>
#include <string.h>

#include "code/decode_memo.h"

static void check_at(const uint8_t *code, size_t size, ompd_addr_t address)
{
	struct decode expected, insn;

	memset(&expected, 0, sizeof(expected));
	memset(&insn, 0, sizeof(insn));
	bool ok = decode_next(code, size, address, &expected);

	ck_assert_int_eq(decode_memo_next(code, size, address, &insn), ok);
	if (!ok)
		return;
	ck_assert_int_eq(insn.kind, expected.kind);
	ck_assert_uint_eq(insn.length, expected.length);
	ck_assert_uint_eq(insn.written, expected.written);
	ck_assert_uint_eq(insn.target, expected.target);
	for (int i = 0; i < DECODE_OPERANDS; i++) {
		const struct decode_operand *a = &insn.operands[i], *b = &expected.operands[i];

		ck_assert(a->kind == b->kind && a->size == b->size && a->reg == b->reg && a->number == b->number &&
			  a->base == b->base && a->index == b->index && a->scale == b->scale &&
			  a->of_thread == b->of_thread);
	}
}

static const ompd_addr_t addresses[] = {0x401000, 0x7f0000001000, 0x401000, 1, 0, UINT64_MAX - 4};

START_TEST(test_any_bytes)
{
	static const uint8_t begins[] = {0xe8, 0xe9, 0xeb, 0x74, 0x0f, 0x48, 0xff, 0x64, 0x8b, 0xc3};
	uint8_t code[2 * DECODE_MAX_LENGTH];

	srand((unsigned)_i);
	for (int n = 0; n < 2000; n++) {
		for (size_t i = 0; i < sizeof(code); i++)
			code[i] = (uint8_t)(rand() >> 4);
		code[0] = begins[(size_t)n % sizeof(begins)];
		for (size_t k = 0; k < sizeof(addresses) / sizeof(addresses[0]); k++) {
			check_at(code, sizeof(code), addresses[k]);
			check_at(code, (size_t)(rand() % DECODE_MAX_LENGTH) + 1, addresses[k]);
		}
	}
}
END_TEST

/* A jump to address 0 looks like a jump to an unknown target. */
START_TEST(test_jumps_that_look_alike)
{
	static const uint8_t to_itself[DECODE_MAX_LENGTH] = {0xeb, 0xfe};
	uint8_t to_zero[DECODE_MAX_LENGTH] = {0xe9};
	int32_t distance = -0x401005;

	memcpy(to_zero + 1, &distance, sizeof(distance));
	for (int n = 0; n < 2; n++) {
		for (size_t k = 0; k < sizeof(addresses) / sizeof(addresses[0]); k++) {
			check_at(to_itself, sizeof(to_itself), addresses[k]);
			check_at(to_zero, sizeof(to_zero), addresses[k]);
			check_at(to_zero, sizeof(to_zero), 0x401000);
		}
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("libompd/code/decode_memo");
	TCase *tc = tcase_create("decode_memo");

	tcase_add_loop_test(tc, test_any_bytes, 0, 5);
	tcase_add_test(tc, test_jumps_that_look_alike);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
