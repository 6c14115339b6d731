/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops that spin on a word (code/spin.h), and loops that only look similar. */
#include "code/spin.h"

#include <string.h>

#include "check_main.h"
#include "code/decode.h"

#define BEGIN 0x10000u
#define WORD  0x7f0000001000u

/* push %rbx; mov %rsi,%rdi; then "again: pause; mov 8(%rdi),%rdx; cmp %rdx,%rax; jae again"; ret */
static const uint8_t loaded[] = {0x53, 0x48, 0x89, 0xf7, 0xf3, 0x90, 0x48, 0x8b,
				 0x57, 0x08, 0x48, 0x39, 0xd0, 0x73, 0xf5, 0xc3};
#define LOOP 4
#define END  15
#define RDI  5 /* DWARF register number */

static uint64_t registers[DECODE_REGISTERS];
static ompd_place_t place;
static ompd_addr_t word;

static void setup(void)
{
	ck_assert(decode_use(decode_x86_64.elf_machine));
	registers[RDI] = WORD - 8;
	place = (ompd_place_t){.function = BEGIN, .registers = registers, .known = UINT64_C(1) << RDI};
	word = 0;
}

static bool spins(const uint8_t *code, size_t size, int at)
{
	place.pc = BEGIN + (ompd_addr_t)at;
	return spin_word(code, size, &place, &word);
}

START_TEST(test_everywhere_in_the_loop)
{
	static const int at[] = {LOOP, LOOP + 2, LOOP + 6, LOOP + 9};

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		word = 0;
		ck_assert(spins(loaded, sizeof(loaded), at[i]));
		ck_assert_uint_eq(word, WORD);
	}
}
END_TEST

START_TEST(test_outside_the_loop)
{
	ck_assert(!spins(loaded, sizeof(loaded), 0));
	ck_assert(!spins(loaded, sizeof(loaded), 1));
	ck_assert(!spins(loaded, sizeof(loaded), END));
	ck_assert(!spins(loaded, sizeof(loaded), 1000));
	ck_assert(!spins(loaded, sizeof(loaded), -1));
}
END_TEST

START_TEST(test_compared_in_memory)
{
	/* again: pause; cmp %rax,8(%rdi); jne again */
	static const uint8_t code[] = {0xf3, 0x90, 0x48, 0x39, 0x47, 0x08, 0x75, 0xf8};

	ck_assert(spins(code, sizeof(code), 2));
	ck_assert_uint_eq(word, WORD);
}
END_TEST

START_TEST(test_register_that_is_not_known)
{
	place.known = 0;
	ck_assert(!spins(loaded, sizeof(loaded), LOOP));
}
END_TEST

/* With another byte at @at, the loop does not spin on one word. */
static void check_broken(size_t at, uint8_t byte)
{
	uint8_t code[sizeof(loaded)];

	memcpy(code, loaded, sizeof(code));
	code[at] = byte;
	ck_assert(!spins(code, sizeof(code), LOOP));
}

START_TEST(test_other_loops)
{
	check_broken(7, 0x89);	/* stores */
	check_broken(8, 0x7f);	/* loads its own base */
	check_broken(12, 0xc0); /* compares a register that was not loaded */
	check_broken(11, 0x31); /* an instruction that is not followed, instead of the comparison */
	check_broken(14, 0x05); /* jumps forward */
}
END_TEST

START_TEST(test_two_words)
{
	/* again: mov (%rdi),%rdx; mov 8(%rdi),%rcx; cmp %rdx,%rax; jae again */
	static const uint8_t code[] = {0x48, 0x8b, 0x17, 0x48, 0x8b, 0x4f, 0x08, 0x48, 0x39, 0xd0, 0x73, 0xf4};

	ck_assert(!spins(code, sizeof(code), 0));
}
END_TEST

START_TEST(test_a_call_in_it)
{
	/* again: call behind; mov (%rdi),%rdx; cmp %rdx,%rax; jae again */
	static const uint8_t code[] = {0xe8, 0x10, 0, 0, 0, 0x48, 0x8b, 0x17, 0x48, 0x39, 0xd0, 0x73, 0xf3};

	ck_assert(!spins(code, sizeof(code), 5));
}
END_TEST

START_TEST(test_counts)
{
	/* again: mov (%rdi),%rdx; cmp %rdx,%rax; dec %ecx; jne again: a counter ends the loop */
	static const uint8_t code[] = {0x48, 0x8b, 0x17, 0x48, 0x39, 0xd0, 0xff, 0xc9, 0x75, 0xf6};

	ck_assert(!spins(code, sizeof(code), 0));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("spin");
	TCase *tc = tcase_create("spin_word");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, test_everywhere_in_the_loop);
	tcase_add_test(tc, test_outside_the_loop);
	tcase_add_test(tc, test_compared_in_memory);
	tcase_add_test(tc, test_register_that_is_not_known);
	tcase_add_test(tc, test_other_loops);
	tcase_add_test(tc, test_two_words);
	tcase_add_test(tc, test_a_call_in_it);
	tcase_add_test(tc, test_counts);
	suite_add_tcase(s, tc);
	return check_main(s);
}
