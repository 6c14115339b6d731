/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of calls through a pointer, and of the places of that pointer and of arguments, on assembler code that is never
 * executed. */
#include "openmp/stacks/code/code_pointer.h"

#include <string.h>

#include "check_main.h"

/* The call is the last instruction before NAME_end. */
#define CODE(name, lines)                                                                                              \
	extern const uint8_t name##_start[], name##_end[];                                                             \
	__asm__(".text\n.globl " #name "_start, " #name "_end\n" #name "_start:\n" lines "\n" #name "_end: ret\n")

CODE(kept, "push %rbx\nmov %rdi, %rbx\ncall *%rbx");
CODE(lost, "call *%rdi");
CODE(loaded, "push %rbx\nmov %rdi, %rbx\nmov 8(%rbx), %rax\ncall *%rax");
CODE(slot, "push %rbp\nmov %rsp, %rbp\nsub $16, %rsp\nmov %rdi, -8(%rbp)\nmov -8(%rbp), %rdx\ncall *%rdx");
CODE(virtual, "push %rbx\nmov %rdi, %rbx\nmov (%rbx), %rax\ncall *16(%rax)");
CODE(indexed, "push %rbx\nmov %rdi, %rbx\ncall *(%rbx, %rax, 8)");
CODE(direct, "call kept_start");
CODE(record, "push %rbx\nsub $64, %rsp\nlea 16(%rsp), %rbx\nmov %rbx, %rdi\ncall kept_start");
CODE(gone, "mov %rsi, %rdi\ncall kept_start");
CODE(number, "sub $8, %rsp\nmov $-1, %edi\ncall kept_start");
CODE(passed_on, "sub $8, %rsp\nmov %rdi, %rdx\ncall kept_start");
CODE(half, "push %rbx\nmov %edi, %ebx\ncall kept_start\nmovslq %ebx, %rsi\ncall kept_start");
CODE(either, "push %rbx\nmov $1, %edi\ntest %rsi, %rsi\nje 1f\nmov $2, %edi\n1: call kept_start");
CODE(from_memory, "push %rbx\nmov (%rdi), %edi\ncall kept_start");
CODE(restarted, "0: dec %rdi\njne 0b\ncall kept_start");
__asm__(".text\n.globl end_of_pointer_code\nend_of_pointer_code: nop\n");
extern const uint8_t end_of_pointer_code[];

static struct code_pointer pointer;

static size_t read_here(void *arg, uint64_t address, uint8_t *buf, size_t size)
{
	uint64_t end = (uint64_t)(uintptr_t)end_of_pointer_code;

	(void)arg;
	if (address >= end)
		return 0;
	size = size < end - address ? size : (size_t)(end - address);
	memcpy(buf, (const void *)(uintptr_t)address, size);
	return size;
}

static const struct code_world world = {.read = read_here};

static bool find(const uint8_t *start, const uint8_t *end)
{
	struct code_function f = {.start = (uint64_t)(uintptr_t)start, .end = (uint64_t)(uintptr_t)end + 1};
	struct code_releases r = {.world = &world};

	memset(&pointer, 0, sizeof(pointer));
	return code_pointer_find(&r, &f, (uint64_t)(uintptr_t)end, &pointer);
}

#define FIND(name) find(name##_start, name##_end)

START_TEST(test_in_a_register)
{
	ck_assert(FIND(kept));
	ck_assert_int_ge(pointer.reg, 0);
	ck_assert_uint_eq(pointer.n_loads, 0);
	ck_assert_int_eq(pointer.offsets[0], 0);
	ck_assert(!FIND(lost));
}
END_TEST

START_TEST(test_in_memory)
{
	ck_assert(FIND(loaded));
	ck_assert_uint_eq(pointer.n_loads, 1);
	ck_assert_int_eq(pointer.offsets[0], 8);
	ck_assert(FIND(slot));
	ck_assert_uint_eq(pointer.n_loads, 1);
	ck_assert_int_eq(pointer.offsets[1], 0);
	ck_assert(FIND(virtual));
	ck_assert_uint_eq(pointer.n_loads, 2);
	ck_assert_int_eq(pointer.offsets[0], 0);
	ck_assert_int_eq(pointer.offsets[1], 16);
	ck_assert_int_eq(pointer.offsets[2], 0);
}
END_TEST

static bool find_argument(const uint8_t *start, const uint8_t *end, unsigned n)
{
	struct code_function f = {.start = (uint64_t)(uintptr_t)start, .end = (uint64_t)(uintptr_t)end + 1};
	struct code_releases r = {.world = &world};

	memset(&pointer, 0, sizeof(pointer));
	return code_argument_find(&r, &f, (uint64_t)(uintptr_t)end, n, &pointer);
}

/* An address on the stack is known by each register that the call preserves. */
START_TEST(test_arguments)
{
	static const unsigned rbx = 3, rsp = 4;

	ck_assert(find_argument(record_start, record_end, 0));
	ck_assert_uint_eq(pointer.n_loads, 0);
	ck_assert(pointer.reg == (int)rbx || pointer.reg == (int)rsp);
	ck_assert_int_eq(pointer.offsets[0], pointer.reg == (int)rbx ? 0 : 16);
	ck_assert(!find_argument(record_start, record_end, 1));
	ck_assert(!find_argument(record_start, record_end, DECODE_ARGS));
	ck_assert(!find_argument(gone_start, gone_end, 0));
	ck_assert(!find_argument(record_start, record_start, 0));
}
END_TEST

static struct code_integer integer;

static bool find_integer(const uint8_t *start, const uint8_t *end, unsigned n)
{
	struct code_function f = {.start = (uint64_t)(uintptr_t)start, .end = (uint64_t)(uintptr_t)end + 1};
	struct code_releases r = {.world = &world};

	memset(&integer, 0, sizeof(integer));
	return code_integer_find(&r, &f, (uint64_t)(uintptr_t)end, n, &integer);
}

START_TEST(test_integers)
{
	static const int rbx = 3;

	ck_assert(find_integer(number_start, number_end, 0));
	ck_assert_int_eq(integer.kind, CODE_INTEGER_NUMBER);
	ck_assert_int_eq((int32_t)integer.offset, -1);
	ck_assert(find_integer(passed_on_start, passed_on_end, 2));
	ck_assert_int_eq(integer.kind, CODE_INTEGER_ARGUMENT);
	ck_assert_int_eq(integer.number, 0);
	ck_assert(find_integer(half_start, half_end, 1));
	ck_assert_int_eq(integer.kind, CODE_INTEGER_REGISTER);
	ck_assert_int_eq(integer.number, rbx);
	ck_assert(!find_integer(half_start, half_end, 0));
	ck_assert(!find_integer(either_start, either_end, 0));
	ck_assert(!find_integer(from_memory_start, from_memory_end, 0));
	ck_assert(!find_integer(restarted_start, restarted_end, 0));
	ck_assert(!find_integer(number_start, number_end, DECODE_ARGS));
}
END_TEST

START_TEST(test_other_calls)
{
	ck_assert(!FIND(indexed));
	ck_assert(!FIND(direct));
	ck_assert(!find(kept_start, kept_start));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp_code_pointer");
	TCase *tc = tcase_create("code_pointer");

	tcase_add_test(tc, test_in_a_register);
	tcase_add_test(tc, test_in_memory);
	tcase_add_test(tc, test_arguments);
	tcase_add_test(tc, test_integers);
	tcase_add_test(tc, test_other_calls);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
