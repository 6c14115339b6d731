/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tests of target/modules/module_symbols: which names cause which tables to be read. Each read opens the file: for the
 * small table, for the exported symbols, or for all symbols, which may be in the debug file.
 */
#include "target/modules/module_list.h"

#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "child.h"
#include "target/process/process.h"
#include "target/process/process_files.h"

#define ONLY_EXPORTED 1
#define ALL_TOO	      2

static pid_t child;
static struct target *t;
static struct target_symbol found;
static int n_libc, n_program;

int modules_symbols_test_local_name(void);
__attribute__((visibility("hidden"))) int modules_symbols_test_local_name(void)
{
	return 1;
}

static Elf *open_counting(struct target *target, const struct elf_file_identity *id, int *fd_ret)
{
	n_libc += strstr(id->path, "/libc.so") || strstr(id->path, "/libc-2");
	n_program += id->is_exe;
	return process_files.open(target, id, fd_ret);
}

static void setup(void)
{
	static struct module_source source;
	const struct target_module *list;
	size_t n;

	child = child_start(child_sleeper);
	ck_assert_no_err(target_attach(child, TARGET_OBSERVE, 200, &t));
	source = process_files;
	source.open = open_counting;
	module_list_destroy(t->modules);
	ck_assert_no_err(module_list_create(t, &source, &process_of(t)->auxv, &t->modules));
	/* The list also detects the compilers. */
	ck_assert_no_err(target_modules(t, &list, &n));
	n_libc = n_program = 0;
}

static void teardown(void)
{
	target_destroy(t);
	child_end(child);
}

START_TEST(test_an_exported_name_reads_the_small_table)
{
	ck_assert_no_err(target_symbol(t, "__libc_start_main", "libc", &found));
	ck_assert_ptr_nonnull(strstr(found.module->path, "/libc"));
	ck_assert_int_eq(n_libc, ONLY_EXPORTED);
	ck_assert_err(target_symbol(t, "modules_symbols_test_none", "libc", &found), ERR_SYMBOL_NOT_FOUND);
	ck_assert_int_eq(n_libc, ALL_TOO);
	/* Symbols that were read stay in memory. */
	ck_assert_no_err(target_symbol(t, "puts", "libc", &found));
	ck_assert_err(target_symbol(t, "modules_symbols_test_none", "libc", &found), ERR_SYMBOL_NOT_FOUND);
	ck_assert_int_eq(n_libc, ALL_TOO);
}
END_TEST

START_TEST(test_a_runtimes_name_does_not_read_all_of_the_c_library)
{
	ck_assert_err(target_runtime_symbol(t, "modules_symbols_test_none", &found), ERR_SYMBOL_NOT_FOUND);
	ck_assert_int_eq(n_libc, ONLY_EXPORTED);
	ck_assert_int_eq(n_program, ALL_TOO);
	ck_assert_no_err(target_runtime_symbol(t, "modules_symbols_test_local_name", &found));
	ck_assert_uint_eq(found.address, (uint64_t)(uintptr_t)&modules_symbols_test_local_name);
	ck_assert_no_err(target_runtime_symbol(t, "puts", &found));
	ck_assert_ptr_nonnull(found.module);
}
END_TEST

/* An address needs all symbols: the nearest exported name may belong to another function. */
START_TEST(test_an_address_reads_all)
{
	char name[64];
	uint64_t offset;

	ck_assert_no_err(target_symbol(t, "__libc_start_main", "libc", &found));
	ck_assert(target_symbol_at(t, found.address, name, sizeof(name), &offset));
	ck_assert_uint_eq(offset, 0);
	ck_assert_int_eq(n_libc, ALL_TOO);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target/modules_symbols");
	TCase *tc = tcase_create("modules_symbols");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_an_exported_name_reads_the_small_table);
	tcase_add_test(tc, test_a_runtimes_name_does_not_read_all_of_the_c_library);
	tcase_add_test(tc, test_an_address_reads_all);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
