/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/arch/arch_x86_64: registers by role, and the known instructions. */
#include <string.h>

#include "check_main.h"
#include "target/arch/arch.h"
#include "target/arch/arch_x86_64.h"

#define CODE(bytes) (const unsigned char *)(bytes), sizeof(bytes) - 1

static struct arch_registers regs;
static struct arch_store store;

static void setup(void)
{
	arch_use(&arch_x86_64);
	memset(&regs, 0, sizeof(regs));
	regs.word[X86_RIP] = 0x1000;
	regs.word[X86_RSP] = 0x8000;
	regs.word[X86_RBP] = 5;
	regs.word[X86_R12] = 12;
}

START_TEST(test_endbr64_and_push_are_emulated)
{
	ck_assert(arch->emulate(CODE("\xf3\x0f\x1e\xfa\x55"), &regs, &store));
	ck_assert(!store.n);
	ck_assert_uint_eq(arch_pc(&regs), 0x1004);
	ck_assert(arch->emulate(CODE("\x55\x48\x89\xe5"), &regs, &store));
	ck_assert_uint_eq(store.n, 1);
	ck_assert_uint_eq(store.address, 0x7ff8);
	ck_assert_uint_eq(store.value[0], 5);
	ck_assert_uint_eq(arch_sp(&regs), 0x7ff8);
	ck_assert_uint_eq(arch_pc(&regs), 0x1005);
	ck_assert(arch->emulate(CODE("\x41\x54"), &regs, &store));
	ck_assert_uint_eq(store.value[0], 12);
	ck_assert_uint_eq(arch_pc(&regs), 0x1007);
	/* push %rsp pushes the old value. */
	ck_assert(arch->emulate(CODE("\x54"), &regs, &store));
	ck_assert_uint_eq(store.value[0], 0x7ff0);
}
END_TEST

START_TEST(test_others_and_halves_are_not)
{
	struct arch_registers before = regs;

	ck_assert(!arch->emulate(CODE("\xf3\x0f\x1e"), &regs, &store));
	ck_assert(!arch->emulate(CODE("\x41"), &regs, &store));
	ck_assert(!arch->emulate(CODE("\x41\x89"), &regs, &store));
	ck_assert(!arch->emulate(CODE("\x48\x83\xec\x08"), &regs, &store));
	ck_assert(!arch->emulate(CODE(""), &regs, &store));
	ck_assert_mem_eq(&before, &regs, sizeof(regs));
}
END_TEST

START_TEST(test_system_calls)
{
	uint64_t args[ARCH_N_ARGUMENTS];
	long number = 0;

	ck_assert(arch->is_system_call(CODE("\x0f\x05")));
	ck_assert(arch->is_system_call(CODE("\x0f\x34\x90")));
	ck_assert(arch->is_system_call(CODE("\xcd\x80")));
	ck_assert(!arch->is_system_call(CODE("\x0f")));
	ck_assert(!arch->is_system_call(CODE("\x0f\x0b")));
	/* mov $0xe6,%eax; syscall */
	ck_assert_int_eq(arch->number_of_call((const unsigned char *)"\x90\xb8\xe6\0\0\0\x0f\x05" + 8, 8), 230);
	ck_assert_int_eq(arch->number_of_call((const unsigned char *)"\xb8\xe6\0\0\0\x0f\x0b" + 7, 7), -1);
	ck_assert_int_eq(arch->number_of_call((const unsigned char *)"\xe6\0\0\0\x0f\x05" + 6, 6), -1);
	regs.word[X86_ORIG_RAX] = 202;
	regs.word[X86_RDI] = 1;
	regs.word[X86_R10] = 4;
	ck_assert(!arch->is_in_call(&regs, NULL, 0, NULL, NULL));
	regs.word[X86_RAX] = (uint64_t)-512;
	ck_assert(arch->is_in_call(&regs, NULL, 0, NULL, NULL));
	ck_assert(arch->is_in_call(&regs, NULL, 0, &number, args));
	ck_assert_int_eq(number, 202);
	ck_assert_uint_eq(args[0], 1);
	ck_assert_uint_eq(args[3], 4);
	/* The thread is not in a call, whatever the result looks like. */
	regs.word[X86_ORIG_RAX] = (uint64_t)-1;
	ck_assert(!arch->is_in_call(&regs, NULL, 0, NULL, NULL));
}
END_TEST

START_TEST(test_registers_by_role)
{
	uint64_t values[ARCH_N_REGISTERS];

	regs.word[X86_RDI] = 1;
	regs.word[X86_R9] = 6;
	regs.word[X86_FS_BASE] = 0x7000;
	arch->by_dwarf(&regs, values);
	ck_assert_uint_eq(values[arch->pc_register], 0x1000);
	ck_assert_uint_eq(values[arch->sp_register], 0x8000);
	ck_assert_uint_eq(values[arch->fp_register], 5);
	ck_assert_uint_eq(values[arch->arguments[0]], 1);
	ck_assert_uint_eq(values[arch->arguments[5]], 6);
	ck_assert_uint_eq(values[arch->kept[2]], 12);
	ck_assert_uint_eq(arch_thread_pointer(&regs), 0x7000);
	arch_set_pc(&regs, 0x2000);
	ck_assert_uint_eq(arch_pc(&regs), 0x2000);
}
END_TEST

START_TEST(test_thread_blocks)
{
	const uint64_t words[ARCH_TCB_WORDS] = {0x7000, 1, 0x7000};
	uint64_t block = 0;

	ck_assert(arch->is_descriptor(0x7000, words));
	ck_assert(!arch->is_descriptor(0x7008, words));
	ck_assert(arch->tls_block(0x7000, 0x80, &block));
	ck_assert_uint_eq(block, 0x6f80);
	ck_assert(!arch->tls_block(0x7000, 0x7000, &block));
}
END_TEST

START_TEST(test_addresses_in_code)
{
	/* lea 0x10(%rip),%rax; jmp *0x20(%rip), alone and behind endbr64 and bnd */
	static const unsigned char lea[] = "\x48\x8d\x05\x10\x00\x00\x00";
	static const unsigned char plain[ARCH_PLT_BYTES] = "\xff\x25\x20\x00\x00\x00";
	static const unsigned char guarded[ARCH_PLT_BYTES] = "\xf3\x0f\x1e\xfa\xf2\xff\x25\x20\x00\x00\x00";
	uint64_t slot = 0;

	ck_assert(arch->mentions(lea, sizeof(lea) - 1, 0x1000, 0x1017));
	ck_assert(!arch->mentions(lea, sizeof(lea) - 2, 0x1000, 0x1017));
	ck_assert(arch->plt_slot(plain, sizeof(plain), 0x1000, &slot));
	ck_assert_uint_eq(slot, 0x1026);
	ck_assert(arch->plt_slot(guarded, sizeof(guarded), 0x1000, &slot));
	ck_assert_uint_eq(slot, 0x102b);
	ck_assert(!arch->plt_slot(plain, arch->plt_bytes - 1, 0x1000, &slot));
	ck_assert(!arch->plt_slot(lea, sizeof(lea) - 1, 0x1000, &slot));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("arch_x86_64");
	TCase *c = tcase_create("arch_x86_64");

	tcase_add_checked_fixture(c, setup, NULL);
	tcase_add_test(c, test_endbr64_and_push_are_emulated);
	tcase_add_test(c, test_others_and_halves_are_not);
	tcase_add_test(c, test_system_calls);
	tcase_add_test(c, test_registers_by_role);
	tcase_add_test(c, test_thread_blocks);
	tcase_add_test(c, test_addresses_in_code);
	suite_add_tcase(suite, c);
	return check_main(suite);
}
