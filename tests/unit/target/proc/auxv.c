/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/proc/auxv: pairs of an auxiliary vector, complete and truncated. */
#include "target/proc/auxv.h"

#include <elf.h>
#include <string.h>

#include "check_main.h"

START_TEST(test_each_entry_has_its_place)
{
	static const uint64_t pairs[] = {AT_PHDR, 1, AT_PHNUM,	      2, AT_BASE,  3, AT_RANDOM, 4,
					 AT_UID,  9, AT_SYSINFO_EHDR, 5, AT_ENTRY, 6, AT_EXECFN, 7};
	struct process_auxv auxv;

	auxv_parse(pairs, sizeof(pairs), &auxv);
	ck_assert_uint_eq(auxv.phdr, 1);
	ck_assert_uint_eq(auxv.phnum, 2);
	ck_assert_uint_eq(auxv.base, 3);
	ck_assert_uint_eq(auxv.random, 4);
	ck_assert_uint_eq(auxv.vdso, 5);
	ck_assert_uint_eq(auxv.entry, 6);
	ck_assert_uint_eq(auxv.execfn, 7);
}
END_TEST

START_TEST(test_what_is_missing_is_0)
{
	const struct process_auxv none = {0};
	struct process_auxv auxv;

	memset(&auxv, 0xff, sizeof(auxv));
	auxv_parse(NULL, 0, &auxv);
	ck_assert_mem_eq(&auxv, &none, sizeof(auxv));
}
END_TEST

START_TEST(test_nothing_is_read_behind_the_end_mark)
{
	static const uint64_t pairs[] = {AT_ENTRY, 1, AT_NULL, 0, AT_BASE, 2};
	struct process_auxv auxv;

	auxv_parse(pairs, sizeof(pairs), &auxv);
	ck_assert_uint_eq(auxv.entry, 1);
	ck_assert_uint_eq(auxv.base, 0);
}
END_TEST

/* A damaged core's note may end anywhere, and start at an odd address. */
START_TEST(test_half_an_entry_is_none)
{
	static const uint64_t pairs[] = {AT_ENTRY, 1, AT_BASE, 2};

	for (size_t len = 0; len <= sizeof(pairs); len++) {
		unsigned char *bytes = malloc(len + 1); /* so that a sanitizer sees reads behind the end */
		struct process_auxv auxv;

		memcpy(bytes + 1, pairs, len);
		auxv_parse(bytes + 1, len, &auxv);
		ck_assert_uint_eq(auxv.entry, len >= 16 ? 1 : 0);
		ck_assert_uint_eq(auxv.base, len >= 32 ? 2 : 0);
		free(bytes);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_auxv");
	TCase *tc = tcase_create("auxv_parse");

	tcase_add_test(tc, test_each_entry_has_its_place);
	tcase_add_test(tc, test_what_is_missing_is_0);
	tcase_add_test(tc, test_nothing_is_read_behind_the_end_mark);
	tcase_add_test(tc, test_half_an_entry_is_none);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
