/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/unwind/call: the forms of calls, and how a frame shows the target of a call through a pointer. */
#include <elf.h>
#include <string.h>

#include "check_main.h"
#include "fake_target.h"
#include "target/unwind/call.h"

#define TEXT  0x20000u
#define STACK 0x7fff0000u
#define BX    3

static struct target *t;

static void setup(void)
{
	t = fake_target_create(TARGET_STOP);
	fake_target_add_module(t, "/bin/program", TEXT, 0x30000, NULL, NULL);
	fake_target_map(t, TEXT, NULL, 0x10000);
	fake_target_map(t, STACK, NULL, 0x1000);
	target_view_begin(t);
}

static void teardown(void)
{
	target_destroy(t);
}

/* Reads the call at the end of @code, which has @len bytes. */
static struct call_site read_of(const char *code, size_t len)
{
	struct call_site call;

	fake_target_poke(t, TEXT + 0x100 - len, code, len);
	call_read(t, TEXT + 0x100, &call);
	return call;
}

#define READ(code) read_of(code, sizeof(code) - 1)

static void check(struct call_site call, enum call_kind kind, unsigned reg, int32_t displacement)
{
	ck_assert_int_eq(call.kind, kind);
	ck_assert_uint_eq(call.reg, reg);
	ck_assert_int_eq(call.displacement, displacement);
}

START_TEST(test_register)
{
	check(READ("\x90\xff\xd3"), CALL_REGISTER, BX, 0);
	check(READ("\x90\xff\xd5"), CALL_REGISTER, 6, 0);
	check(READ("\x41\xff\xd5"), CALL_REGISTER, 13, 0);
	check(READ("\x41\xff\xd3"), CALL_REGISTER, 11, 0);
}
END_TEST

START_TEST(test_slot)
{
	check(READ("\x90\x90\xff\x55\xf8"), CALL_SLOT, 6, -8);
	check(READ("\xff\x95\xd0\xfe\xff\xff"), CALL_SLOT, 6, -0x130);
	check(READ("\x90\x90\xff\x54\x24\x18"), CALL_SLOT, TARGET_REGISTER_SP, 0x18);
	check(READ("\xff\x94\x24\x00\x01\x00\x00"), CALL_SLOT, TARGET_REGISTER_SP, 0x100);
}
END_TEST

START_TEST(test_register_that_was_loaded)
{
	check(READ("\x48\x8b\x85\xd0\xfe\xff\xff\xff\xd0"), CALL_SLOT, 6, -0x130);
	check(READ("\x48\x8b\x45\xf0\x4c\x89\xef\xff\xd0"), CALL_SLOT, 6, -16);
	check(READ("\x48\x8b\x44\x24\x08\x48\x89\xdf\xff\xd0"), CALL_SLOT, TARGET_REGISTER_SP, 8);
	/* Other instructions before the call are unknown. */
	check(READ("\x48\x8b\x45\xf0\x49\x89\xef\xff\xd0"), CALL_REGISTER, 0, 0);
	check(READ("\x48\x8b\x83\xc0\x00\x00\x00\xff\xd0"), CALL_REGISTER, 0, 0);
}
END_TEST

START_TEST(test_direct)
{
	struct call_site call = READ("\xe8\x00\x10\x00\x00");

	ck_assert_int_eq(call.kind, CALL_DIRECT);
	ck_assert_uint_eq(call.address, TEXT + 0x1100);
	/* No code is there. */
	ck_assert_int_eq(READ("\xe8\x00\x00\x00\x20").kind, CALL_UNKNOWN);
	ck_assert_int_eq(READ("\x90\x90\x90\x90\x90\x90").kind, CALL_UNKNOWN);
}
END_TEST

START_TEST(test_pointer)
{
	static const Elf64_Ehdr ehdr = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
					.e_phoff = sizeof(ehdr),
					.e_phentsize = sizeof(Elf64_Phdr),
					.e_phnum = 1};
	Elf64_Phdr closed = {.p_type = PT_GNU_RELRO, .p_vaddr = 0x1000, .p_memsz = 0x1000};
	static const uint64_t function = TEXT + 0x200;

	/* call *0xf00(%rip), from a slot that lies at 0x1000. */
	fake_target_poke(t, TEXT + 0x1000, &function, sizeof(function));
	ck_assert_int_eq(READ("\xff\x15\x00\x0f\x00\x00").kind, CALL_UNKNOWN);
	fake_target_poke(t, TEXT, &ehdr, sizeof(ehdr));
	fake_target_poke(t, TEXT + sizeof(ehdr), &closed, sizeof(closed));
	struct call_site call = READ("\xff\x15\x00\x0f\x00\x00");
	ck_assert_int_eq(call.kind, CALL_DIRECT);
	ck_assert_uint_eq(call.address, function);
	/* Other bytes start in its page. */
	closed.p_memsz = 0xfff;
	fake_target_poke(t, TEXT + sizeof(ehdr), &closed, sizeof(closed));
	ck_assert_int_eq(READ("\xff\x15\x00\x0f\x00\x00").kind, CALL_UNKNOWN);
}
END_TEST

START_TEST(test_at_the_edge_of_what_is_mapped)
{
	struct call_site call;

	fake_target_poke(t, TEXT, "\x90\x90\x90\x90\xff\xd3", 6);
	call_read(t, TEXT + 6, &call);
	check(call, CALL_REGISTER, BX, 0);
	call_read(t, TEXT + 5, &call);
	ck_assert_int_eq(call.kind, CALL_UNKNOWN);
	call_read(t, 1, &call);
	ck_assert_int_eq(call.kind, CALL_UNKNOWN);
}
END_TEST

START_TEST(test_of_a_frame)
{
	struct stack_frame frames[2] = {
		{.pc = TEXT, .sp = STACK + 0x10, .kept = {0x1234}, .kept_known = 1},
		{.pc = TEXT, .sp = STACK + 0x80},
	};
	struct stack stack = {.frames = frames, .n = 2};
	struct stack_copy copy = {0};
	uint64_t value = 0x5678, to = 0;

	fake_target_poke(t, STACK + 0x78, &value, sizeof(value));
	ck_assert(call_of_frame(t, &(struct call_site){.kind = CALL_REGISTER, .reg = BX}, &copy, &stack, 0, &to));
	ck_assert_uint_eq(to, 0x1234);
	/* Registers without a known value, and one that functions do not preserve. */
	ck_assert(!call_of_frame(t, &(struct call_site){.kind = CALL_REGISTER, .reg = 12}, &copy, &stack, 0, &to));
	ck_assert(!call_of_frame(t, &(struct call_site){.kind = CALL_REGISTER, .reg = 0}, &copy, &stack, 0, &to));
	ck_assert(!call_of_frame(t, &(struct call_site){.kind = CALL_UNKNOWN}, &copy, &stack, 0, &to));
	ck_assert_no_err(target_stop(t, 1000));
	struct call_site slot = {.kind = CALL_SLOT, .reg = TARGET_REGISTER_SP, .displacement = 0x68};
	ck_assert(call_of_frame(t, &slot, &copy, &stack, 0, &to));
	ck_assert_uint_eq(to, 0x5678);
	/* The slot is outside the frame, or the frame's size is unknown. */
	slot.displacement = 0x69;
	ck_assert(!call_of_frame(t, &slot, &copy, &stack, 0, &to));
	slot.displacement = -1;
	ck_assert(!call_of_frame(t, &slot, &copy, &stack, 0, &to));
	slot.displacement = 0;
	ck_assert(!call_of_frame(t, &slot, &copy, &stack, 1, &to));
	frames[0].is_exact = true;
	ck_assert(!call_of_frame(t, &(struct call_site){.kind = CALL_REGISTER, .reg = BX}, &copy, &stack, 0, &to));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("call");
	TCase *c = tcase_create("call");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, test_register);
	tcase_add_test(c, test_slot);
	tcase_add_test(c, test_register_that_was_loaded);
	tcase_add_test(c, test_direct);
	tcase_add_test(c, test_pointer);
	tcase_add_test(c, test_at_the_edge_of_what_is_mapped);
	tcase_add_test(c, test_of_a_frame);
	suite_add_tcase(suite, c);
	return check_main(suite);
}
