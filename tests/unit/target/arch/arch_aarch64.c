/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/arch/arch_aarch64: registers by role, and the known instructions. */
#include "target/arch/arch_aarch64.h"

#include <string.h>

#include "check_main.h"
#include "target/arch/arch.h"
#include "target/unwind/call.h"

#define BTI	  0xd503245fu
#define NOP	  0xd503201fu
#define PUSH	  0xa9be7bfdu /* stp x29, x30, [sp, #-32]! */
#define POP	  0xa8c27bfdu /* ldp x29, x30, [sp], #32 */
#define FP_IS_SP  0x910003fdu /* mov x29, sp */
#define SUB_SP	  0xd10083ffu /* sub sp, sp, #32 */
#define SUB_SP_4K 0xd14007ffu /* sub sp, sp, #1, lsl #12 */
#define SVC	  0xd4000001u
#define BTYPE	  ((uint64_t)1 << 10)
#define CODE(...) (const unsigned char *)(const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__})
#define END(...)                                                                                                       \
	(const unsigned char *)((const uint32_t[]){__VA_ARGS__} + sizeof((uint32_t[]){__VA_ARGS__}) / 4),              \
		sizeof((uint32_t[]){__VA_ARGS__})

static struct arch_registers regs;
static struct arch_store store;
static struct call_site call[2];

static void setup(void)
{
	arch_use(&arch_aarch64);
	for (unsigned i = 0; i < ARCH_WORDS; i++)
		regs.word[i] = 100 + i;
	regs.word[AARCH64_PC] = 0x1000;
	regs.word[AARCH64_SP] = 0x8000;
	regs.word[AARCH64_PSTATE] = 0;
}

START_TEST(test_beginnings_are_emulated)
{
	ck_assert(arch->emulate(CODE(PUSH, FP_IS_SP), &regs, &store));
	ck_assert_uint_eq(store.n, 2);
	ck_assert_uint_eq(store.address, 0x7fe0);
	ck_assert_uint_eq(store.value[0], 129);
	ck_assert_uint_eq(store.value[1], 130);
	ck_assert_uint_eq(arch_sp(&regs), 0x7fe0);
	ck_assert_uint_eq(arch_pc(&regs), 0x1004);
	ck_assert(arch->emulate(CODE(FP_IS_SP), &regs, &store));
	ck_assert_uint_eq(store.n, 0);
	ck_assert_uint_eq(regs.word[AARCH64_X29], 0x7fe0);
	ck_assert(arch->emulate(CODE(SUB_SP), &regs, &store));
	ck_assert_uint_eq(arch_sp(&regs), 0x7fc0);
	ck_assert(arch->emulate(CODE(SUB_SP_4K), &regs, &store));
	ck_assert_uint_eq(arch_sp(&regs), 0x6fc0);
	ck_assert(arch->emulate(CODE(NOP), &regs, &store));
	ck_assert_uint_eq(arch_pc(&regs), 0x1014);
}
END_TEST

START_TEST(test_what_an_indirect_branch_may_meet)
{
	struct arch_registers before;

	regs.word[AARCH64_PSTATE] = BTYPE | 0x80000000;
	before = regs;
	/* On a guarded page this instruction faults. */
	ck_assert(!arch->emulate(CODE(PUSH), &regs, &store));
	ck_assert_mem_eq(&before, &regs, sizeof(regs));
	ck_assert(arch->emulate(CODE(BTI), &regs, &store));
	ck_assert_uint_eq(regs.word[AARCH64_PSTATE], 0x80000000);
	ck_assert_uint_eq(arch_pc(&regs), 0x1004);
}
END_TEST

START_TEST(test_others_and_halves_are_not)
{
	struct arch_registers before = regs;

	ck_assert(!arch->emulate(CODE(POP), &regs, &store));
	ck_assert(!arch->emulate(CODE(SVC), &regs, &store));
	/* paciasp: its effect depends on the processor and its keys. */
	ck_assert(!arch->emulate(CODE(0xd503233f), &regs, &store));
	ck_assert(!arch->emulate((const unsigned char *)"\x1f\x20\x03", 3, &regs, &store));
	ck_assert(!arch->emulate((const unsigned char *)"", 0, &regs, &store));
	ck_assert_mem_eq(&before, &regs, sizeof(regs));
}
END_TEST

START_TEST(test_system_calls)
{
	uint64_t args[ARCH_N_ARGUMENTS];
	long number = 0;

	ck_assert(arch->is_system_call(CODE(SVC)));
	ck_assert(!arch->is_system_call(CODE(NOP)));
	ck_assert(!arch->is_system_call((const unsigned char *)"\x01\x00\x00", 3));
	/* mov x8, #115; svc #0 */
	ck_assert_int_eq(arch->number_of_call((const unsigned char *)"\x68\x0e\x80\xd2\x01\0\0\xd4" + 8, 8), 115);
	ck_assert_int_eq(arch->number_of_call((const unsigned char *)"\x67\x0e\x80\xd2\x01\0\0\xd4" + 8, 8), -1);
	/* The kernel has set the thread back to the call. */
	regs.word[8] = 98;
	ck_assert(arch->is_in_call(&regs, CODE(SVC), &number, args));
	ck_assert_int_eq(number, 98);
	ck_assert_uint_eq(args[0], 100);
	ck_assert_uint_eq(args[5], 105);
	ck_assert(!arch->is_in_call(&regs, CODE(NOP), &number, args));
	ck_assert(!arch->is_in_call(&regs, NULL, 0, NULL, NULL));
}
END_TEST

START_TEST(test_registers_by_role)
{
	uint64_t values[ARCH_N_REGISTERS];

	arch->by_dwarf(&regs, values);
	ck_assert_uint_eq(values[arch->pc_register], 0x1000);
	ck_assert_uint_eq(values[arch->sp_register], 0x8000);
	ck_assert_uint_eq(values[arch->fp_register], 129);
	ck_assert_uint_eq(values[arch->return_register], 130);
	ck_assert_uint_eq(values[arch->arguments[5]], 105);
	ck_assert_uint_eq(values[arch->kept[0]], 119);
	ck_assert_uint_eq(arch_thread_pointer(&regs), 100 + AARCH64_TPIDR);
	arch_set_pc(&regs, 0x2000);
	ck_assert_uint_eq(arch_pc(&regs), 0x2000);
}
END_TEST

START_TEST(test_tls_is_behind_the_thread_pointer)
{
	uint64_t block = 0;

	ck_assert(arch->tls_block(0x7000, 0x10, &block));
	ck_assert_uint_eq(block, 0x7010);
	ck_assert(!arch->tls_block(0x7000, UINT64_MAX - 0x100, &block));
}
END_TEST

START_TEST(test_calls)
{
	/* bl 0x1000 - 4 + 8; bl before it */
	ck_assert_uint_eq(arch->calls(END(NOP, 0x94000002), 0x1000, call), 1);
	ck_assert_int_eq(call[0].kind, CALL_DIRECT);
	ck_assert_uint_eq(call[0].address, 0x1004);
	ck_assert_uint_eq(arch->calls(END(0x97ffffff), 0x1000, call), 1);
	ck_assert_uint_eq(call[0].address, 0xff8);
	/* blr x19 */
	ck_assert_uint_eq(arch->calls(END(0xd63f0260), 0x1000, call), 1);
	ck_assert_int_eq(call[0].kind, CALL_REGISTER);
	ck_assert_uint_eq(call[0].reg, 19);
	/* ldr x1, [sp, #24]; mov x0, x20; blr x1 */
	ck_assert_uint_eq(arch->calls(END(0xf9400fe1, 0xaa1403e0, 0xd63f0020), 0x1000, call), 1);
	ck_assert_int_eq(call[0].kind, CALL_SLOT);
	ck_assert_uint_eq(call[0].reg, 31);
	ck_assert_int_eq(call[0].displacement, 24);
	/* ldur x1, [x29, #-8]; blr x1 */
	ck_assert_uint_eq(arch->calls(END(0xf85f83a1, 0xd63f0020), 0x1000, call), 1);
	ck_assert_int_eq(call[0].kind, CALL_SLOT);
	ck_assert_uint_eq(call[0].reg, 29);
	ck_assert_int_eq(call[0].displacement, -8);
	/* adrp x1, 0x3000; ldr x1, [x1, #16]; blr x1 */
	ck_assert_uint_eq(arch->calls(END(0xd0000001, 0xf9400821, 0xd63f0020), 0x200c, call), 1);
	ck_assert_int_eq(call[0].kind, CALL_POINTER);
	ck_assert_uint_eq(call[0].address, 0x4010);
	ck_assert_uint_eq(arch->calls(END(NOP), 0x1000, call), 0);
	ck_assert_uint_eq(arch->calls((const unsigned char *)"abc" + 3, 3, 0x1000, call), 0);
}
END_TEST

START_TEST(test_addresses_in_code)
{
	uint64_t slot = 0;

	/* adrp x0, one page on; add x0, x0, #0x18 */
	ck_assert(arch->mentions(CODE(0xb0000000, NOP, 0x91006000), 0x1000, 0x2018));
	ck_assert(!arch->mentions(CODE(0xb0000000, NOP, 0x91006000), 0x1000, 0x2010));
	ck_assert(!arch->mentions(CODE(0x91006000), 0x1000, 0x18));
	/* adr x0, #8 */
	ck_assert(arch->mentions(CODE(NOP, 0x10000040), 0x1000, 0x100c));
	/* adrp x16; ldr x17, [x16, #0x20]; add x16, x16, #0x20; br x17, alone and behind bti */
	ck_assert(arch->plt_slot(CODE(0xb0000010, 0xf9401211, 0x91008210, 0xd61f0220), 0x1000, &slot));
	ck_assert_uint_eq(slot, 0x2020);
	ck_assert(arch->plt_slot(CODE(BTI, 0xb0000010, 0xf9401211, 0x91008210, 0xd61f0220), 0x1ffc, &slot));
	ck_assert_uint_eq(slot, 0x3020);
	ck_assert(!arch->plt_slot(CODE(0xb0000010, 0xf9401211, 0x91008210), 0x1000, &slot));
	ck_assert(!arch->plt_slot(CODE(0xb0000010, 0xf9401211, 0x91008210, NOP), 0x1000, &slot));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("arch_aarch64");
	TCase *c = tcase_create("arch_aarch64");

	tcase_add_checked_fixture(c, setup, NULL);
	tcase_add_test(c, test_beginnings_are_emulated);
	tcase_add_test(c, test_what_an_indirect_branch_may_meet);
	tcase_add_test(c, test_others_and_halves_are_not);
	tcase_add_test(c, test_system_calls);
	tcase_add_test(c, test_registers_by_role);
	tcase_add_test(c, test_tls_is_behind_the_thread_pointer);
	tcase_add_test(c, test_calls);
	tcase_add_test(c, test_addresses_in_code);
	suite_add_tcase(suite, c);
	return check_main(suite);
}
