/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/core/core_environment.c: stacks as the kernel lays them out, changed by the program, and damaged. */
#include "target/core/core_environment.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "fake_target.h"
#include "target/proc/auxv.h"

#define STACK	0x7ffe00000000u
#define SIZE	0x10000u
#define VECTOR	(STACK + 0x8000u) /* argc */
#define RANDOM	(STACK + 0x9000u)
#define STRINGS (STACK + 0xa000u)

static const char strings[] = "./program\0OMP_NUM_THREADS=9\0HOME=/\0OMP_NUM_THREADS=4\0KMP_BLOCKTIME=0\0./program";

static struct target *t;
static struct process_auxv auxv;

/* Return the address of string number @n. */
static uint64_t string(unsigned n)
{
	size_t at = 0;

	for (unsigned i = 0; i < n; i++)
		at += strlen(strings + at) + 1;
	return STRINGS + at;
}

/* argc 2, three variables. */
static void setup(void)
{
	const uint64_t words[] = {2,	     string(0), string(1), 0,	 string(2), string(3), string(4), 0,
				  AT_RANDOM, RANDOM,	AT_PAGESZ, 4096, AT_EXECFN, string(5), AT_NULL,	  0};

	t = fake_target_create(TARGET_OBSERVE);
	fake_target_map(t, STACK, NULL, SIZE);
	fake_target_poke(t, VECTOR, words, sizeof(words));
	fake_target_poke(t, STRINGS, strings, sizeof(strings));
	auxv = (struct process_auxv){.random = RANDOM, .execfn = string(5)};
	target_view_begin(t);
}

static void teardown(void)
{
	target_destroy(t);
}

static void check_found(void)
{
	static const char expected[] = "HOME=/\0OMP_NUM_THREADS=4\0KMP_BLOCKTIME=0";
	char *text;
	size_t len;

	ck_assert_no_err(core_environment_find(t, &auxv, &text, &len));
	ck_assert_uint_eq(len, sizeof(expected));
	ck_assert_mem_eq(text, expected, sizeof(expected));
	free(text);
}

static void check_not_found(void)
{
	char *text = NULL;
	size_t len;

	ck_assert_err(core_environment_find(t, &auxv, &text, &len), ERR_MEMORY_UNREADABLE);
	ck_assert_ptr_null(text);
}

START_TEST(test_arguments_are_not_variables)
{
	check_found();
}
END_TEST

/* setenv() replaces pointers, unsetenv() moves them, and getopt() exchanges those of the arguments. */
START_TEST(test_the_program_changed_the_pointers)
{
	fake_target_poke_u64(t, VECTOR + 8 * 4, 0x555500000000u);
	fake_target_poke_u64(t, VECTOR + 8 * 5, 0);
	fake_target_poke_u64(t, VECTOR + 8 * 6, 0);
	fake_target_poke_u64(t, VECTOR + 8 * 1, string(1));
	fake_target_poke_u64(t, VECTOR + 8 * 2, string(0));
	target_view_begin(t);
	check_found();
}
END_TEST

START_TEST(test_a_damaged_stack_is_not_believed)
{
	switch (_i) {
	case 0: /* no auxiliary vector */
		fake_target_poke_u64(t, VECTOR + 8 * 12, AT_BASE);
		break;
	case 1: /* no end of the environment */
		fake_target_poke_u64(t, VECTOR + 8 * 7, string(4));
		break;
	case 2: /* too many arguments for the words below the vector */
		fake_target_poke_u64(t, VECTOR, 8);
		break;
	case 3: /* an argument that the program allocated: the lowest string is not known */
		fake_target_poke_u64(t, VECTOR + 8 * 1, 0x555500000000u);
		break;
	case 4:
		auxv.execfn = 0;
		break;
	case 5:
		auxv.random = 0;
		break;
	case 6: /* the stack is missing */
		fake_target_unmap(t, STACK);
		break;
	default:
		ck_abort();
	}
	target_view_begin(t);
	check_not_found();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target/core/core_environment");
	TCase *tc = tcase_create("core_environment");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_arguments_are_not_variables);
	tcase_add_test(tc, test_the_program_changed_the_pointers);
	tcase_add_loop_test(tc, test_a_damaged_stack_is_not_believed, 0, 7);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
