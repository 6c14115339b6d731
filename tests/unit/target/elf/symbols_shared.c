/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/elf/symbols_shared: a table is reused for the same file only, and only while sharing is on. */
#include "check_main.h"

#include <stdlib.h>
#include <string.h>

#include "target/elf/symbols_shared.h"

static const struct symbols_file libc = {1, 2, 3, 4, 5, "aa"};

static struct symbols *make(const char *name)
{
	Elf64_Sym *syms = calloc(2, sizeof(*syms));
	char *strings = calloc(1, 16);
	struct symbols *symbols;

	memcpy(strings + 1, name, strlen(name));
	syms[1] = (Elf64_Sym){
		.st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1, .st_value = 16};
	ck_assert_no_err(symbols_create_raw(syms, 2, strings, 16, &symbols));
	return symbols;
}

static bool has(struct symbols *symbols, const char *name)
{
	struct symbols_entry entry;

	return symbols_find(symbols, name, symbols_hash(name), &entry);
}

/* The table belongs to the caller: its creator may be gone, and sharing may be over. */
START_TEST(test_the_same_table_for_the_same_file)
{
	struct symbols *first = make("puts"), *second;

	symbols_shared_begin();
	ck_assert_ptr_null(symbols_shared_find(&libc, SYMBOLS_ALL));
	symbols_shared_add(&libc, SYMBOLS_ALL, first);
	second = symbols_shared_find(&libc, SYMBOLS_ALL);
	ck_assert_ptr_eq(second, first);
	ck_assert_ptr_null(symbols_shared_find(&libc, SYMBOLS_EXPORTED));
	symbols_destroy(first);
	symbols_shared_end();
	ck_assert(has(second, "puts"));
	symbols_destroy(second);
	ck_assert_ptr_null(symbols_shared_find(&libc, SYMBOLS_ALL));
}
END_TEST

START_TEST(test_another_file)
{
	struct symbols *symbols = make("puts");
	struct symbols_file others[] = {libc, libc, libc, libc, libc, libc};

	others[0].dev_major = others[1].dev_minor = 9;
	others[2].inode = others[3].root_dev = others[4].root_inode = 9;
	others[5].build_id = "ab";
	symbols_shared_begin();
	symbols_shared_add(&libc, SYMBOLS_ALL, symbols);
	symbols_shared_add_compiler(&libc, "GCC");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		char *compiler;

		ck_assert_ptr_null(symbols_shared_find(&others[i], SYMBOLS_ALL));
		ck_assert(!symbols_shared_find_compiler(&others[i], &compiler));
	}
	symbols_destroy(symbols);
	symbols_shared_end();
}
END_TEST

START_TEST(test_compilers)
{
	struct symbols_file unnamed = libc;
	char *compiler = NULL;

	unnamed.inode = 7;
	symbols_shared_begin();
	symbols_shared_add_compiler(&libc, "GCC: (Debian)");
	symbols_shared_add_compiler(&unnamed, NULL);
	ck_assert(symbols_shared_find_compiler(&libc, &compiler));
	ck_assert_str_eq(compiler, "GCC: (Debian)");
	free(compiler);
	ck_assert(symbols_shared_find_compiler(&unnamed, &compiler));
	ck_assert_ptr_null(compiler);
	ck_assert_ptr_null(symbols_shared_find(&libc, SYMBOLS_ALL));
	symbols_shared_end();
}
END_TEST

/* Files without enough identification are not shared, nor are too many files. */
START_TEST(test_what_is_not_shared)
{
	struct symbols *symbols = make("puts");
	struct symbols_file file = libc;

	symbols_shared_add(&libc, SYMBOLS_ALL, symbols);
	ck_assert_ptr_null(symbols_shared_find(&libc, SYMBOLS_ALL));
	symbols_shared_begin();
	file.build_id = "";
	symbols_shared_add(&file, SYMBOLS_ALL, symbols);
	ck_assert_ptr_null(symbols_shared_find(&file, SYMBOLS_ALL));
	file.build_id = "0123456789012345678901234567890123456789x";
	symbols_shared_add(&file, SYMBOLS_ALL, symbols);
	ck_assert_ptr_null(symbols_shared_find(&file, SYMBOLS_ALL));
	file = libc;
	file.inode = 0;
	symbols_shared_add(&file, SYMBOLS_ALL, symbols);
	ck_assert_ptr_null(symbols_shared_find(&file, SYMBOLS_ALL));
	for (int i = 0; i < SYMBOLS_SHARED_MAX + 1; i++) {
		file.inode = (uint64_t)i + 1;
		symbols_shared_add(&file, SYMBOLS_ALL, symbols);
	}
	ck_assert_ptr_null(symbols_shared_find(&file, SYMBOLS_ALL));
	symbols_shared_end();
	symbols_destroy(symbols);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target/elf/symbols_shared");
	TCase *tc = tcase_create("symbols_shared");

	tcase_add_test(tc, test_the_same_table_for_the_same_file);
	tcase_add_test(tc, test_another_file);
	tcase_add_test(tc, test_compilers);
	tcase_add_test(tc, test_what_is_not_shared);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
