/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/elf/symbols.c: ELF symbol tables of this program's own file and of damaged files. */
#include "target/elf/symbols.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"
#include "target/elf/elf_sections.h"

int symbols_test_global(int x);
int symbols_test_global(int x)
{
	return x + 1;
}

__attribute__((noinline)) static int symbols_test_local(int x)
{
	return symbols_test_global(x) + 1;
}

static _Thread_local volatile int symbols_test_tls = 5;

static struct symbols *own_symbols(void)
{
	struct symbols *s;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	ck_assert_ptr_nonnull(elf);
	ck_assert(symbols_has_symtab(elf));
	ck_assert_no_err(symbols_create(elf, NULL, &s));
	close(fd);
	return s;
}

static bool find(struct symbols *s, const char *name, struct symbols_entry *ret)
{
	return symbols_find(s, name, symbols_hash(name), ret);
}

static int on_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	*(uint64_t *)arg = info->dlpi_addr;
	return 1; /* the first one is the program */
}

static uint64_t own_bias(void)
{
	uint64_t bias = 0;

	dl_iterate_phdr(on_object, &bias);
	return bias;
}

START_TEST(test_symbols_finds_global_and_local)
{
	struct symbols *s = own_symbols();
	struct symbols_entry e;

	ck_assert_int_eq(symbols_test_local(symbols_test_tls), 7);
	ck_assert(find(s, "symbols_test_global", &e));
	ck_assert_uint_eq(e.value + own_bias(), (uint64_t)(uintptr_t)&symbols_test_global);
	ck_assert_uint_gt(e.size, 0);
	ck_assert(!e.is_tls);
	ck_assert(find(s, "symbols_test_local", &e));
	ck_assert_uint_eq(e.value + own_bias(), (uint64_t)(uintptr_t)&symbols_test_local);
	ck_assert(!find(s, "symbols_test_none", &e));
	ck_assert(!find(s, "", &e));
	symbols_destroy(s);
}
END_TEST

START_TEST(test_symbols_marks_thread_local)
{
	struct symbols *s = own_symbols();
	struct symbols_entry e;

	ck_assert(find(s, "symbols_test_tls", &e));
	ck_assert(e.is_tls);
	ck_assert_uint_eq(e.size, sizeof(int));
	symbols_destroy(s);
}
END_TEST

START_TEST(test_symbols_undefined_ones_are_not_there)
{
	struct symbols *s = own_symbols();
	struct symbols_entry e;

	ck_assert(!find(s, "strcmp", &e));
	ck_assert(!find(s, "dl_iterate_phdr", &e));
	symbols_destroy(s);
}
END_TEST

/* This program exports no symbols of its own; a C library exports its functions. */
START_TEST(test_symbols_exported_are_those_of_dynsym)
{
	struct symbols *s;
	struct symbols_entry e;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	elf_version(EV_CURRENT);
	ck_assert_no_err(symbols_create_exported(elf_begin(fd, ELF_C_READ, NULL), &s));
	close(fd);
	ck_assert(!find(s, "symbols_test_local", &e));
	ck_assert(!find(s, "symbols_test_global", &e));
	symbols_destroy(s);
}
END_TEST

static bool imports_threads(const char *name, uint16_t section)
{
	Elf64_Sym *syms = calloc(2, sizeof(*syms));
	char *strings = calloc(1, 32);
	struct symbols *s;

	memcpy(strings + 1, name, strlen(name));
	syms[1] = (Elf64_Sym){
		.st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = section, .st_value = 16};
	ck_assert_no_err(symbols_create_raw(syms, 2, strings, 32, &s));
	bool imports = symbols_imports_threads(s);
	symbols_destroy(s);
	return imports;
}

START_TEST(test_symbols_who_imports_threads)
{
	ck_assert(imports_threads("pthread_create", SHN_UNDEF));
	ck_assert(!imports_threads("pthread_create", 1)); /* the C library */
	ck_assert(!imports_threads("pthread_created", SHN_UNDEF));
}
END_TEST

START_TEST(test_symbols_at_covers_the_function_only)
{
	struct symbols *s = own_symbols();
	struct symbols_entry e, hit;

	ck_assert(find(s, "symbols_test_global", &e));
	ck_assert(symbols_at(s, e.value, &hit));
	ck_assert_str_eq(hit.name, "symbols_test_global");
	ck_assert(symbols_at(s, e.value + e.size - 1, &hit));
	ck_assert_str_eq(hit.name, "symbols_test_global");
	ck_assert(!symbols_at(s, e.value + e.size, &hit) || strcmp(hit.name, "symbols_test_global") != 0);
	ck_assert(!symbols_at(s, 0, &hit));
	symbols_destroy(s);
}
END_TEST

static struct {
	long first, second;
} symbols_test_object;

START_TEST(test_symbols_object_at_takes_variables_only)
{
	struct symbols *s = own_symbols();
	struct symbols_entry e, hit;

	symbols_test_object.second = 1;
	ck_assert(find(s, "symbols_test_object", &e));
	ck_assert_uint_eq(e.value + own_bias(), (uint64_t)(uintptr_t)&symbols_test_object);
	for (uint64_t i = 0; i < sizeof(symbols_test_object); i++) {
		ck_assert(symbols_object_at(s, e.value + i, &hit));
		ck_assert_str_eq(hit.name, "symbols_test_object");
		ck_assert_uint_eq(hit.value, e.value);
	}
	ck_assert(!symbols_object_at(s, e.value + e.size, &hit) || strcmp(hit.name, "symbols_test_object") != 0);
	ck_assert(!symbols_object_at(s, e.value - 1, &hit) || strcmp(hit.name, "symbols_test_object") != 0);
	ck_assert(find(s, "symbols_test_global", &e));
	ck_assert(!symbols_object_at(s, e.value, &hit));
	ck_assert(!symbols_object_at(s, 0, &hit));
	symbols_destroy(s);
}
END_TEST

START_TEST(test_symbols_object_at_looks_past_labels)
{
	static const char names[] = "\0big\0label\0after";
	Elf64_Sym *syms = calloc(4, sizeof(*syms));
	char *strings = malloc(sizeof(names));
	struct symbols *s;
	struct symbols_entry hit;

	memcpy(strings, names, sizeof(names));
	syms[0] = (Elf64_Sym){.st_name = 1,
			      .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
			      .st_shndx = 1,
			      .st_value = 0x1000,
			      .st_size = 0x20};
	syms[1] = (Elf64_Sym){
		.st_name = 5, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), .st_shndx = 1, .st_value = 0x1010};
	syms[2] = (Elf64_Sym){
		.st_name = 11, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), .st_shndx = 1, .st_value = 0x1020};
	ck_assert_no_err(symbols_create_raw(syms, 3, strings, sizeof(names), &s));
	ck_assert(symbols_object_at(s, 0x1018, &hit));
	ck_assert_str_eq(hit.name, "big");
	/* Addresses behind a variable's end, and in a variable without a size, have no symbol. */
	ck_assert(!symbols_object_at(s, 0x1020, &hit));
	symbols_destroy(s);
}
END_TEST

START_TEST(test_symbols_global_wins_over_local)
{
	static const char strings[] = "\0name";
	Elf64_Sym *syms = calloc(3, sizeof(*syms));
	char *copy = malloc(sizeof(strings));
	struct symbols *s;
	struct symbols_entry e;

	memcpy(copy, strings, sizeof(strings));
	for (int i = 1; i < 3; i++) {
		syms[i].st_name = 1;
		syms[i].st_info = ELF64_ST_INFO(i == 1 ? STB_LOCAL : STB_GLOBAL, STT_FUNC);
		syms[i].st_shndx = 1;
		syms[i].st_value = 0x100u * (unsigned)i;
	}
	ck_assert_no_err(symbols_create_raw(syms, 3, copy, sizeof(strings), &s));
	ck_assert(find(s, "name", &e));
	/* Global symbols come before local ones. */
	ck_assert_uint_eq(e.value, 0x200);
	symbols_destroy(s);
}
END_TEST

START_TEST(test_symbols_unterminated_strings_are_cut)
{
	Elf64_Sym *syms = calloc(3, sizeof(*syms));
	char *strings = malloc(8);
	struct symbols *s;
	struct symbols_entry e;

	memcpy(strings, "\0ok\0evil", 8);
	for (int i = 1; i < 3; i++) {
		syms[i].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
		syms[i].st_shndx = 1;
	}
	syms[1].st_name = 1;
	syms[2].st_name = 4;
	ck_assert_no_err(symbols_create_raw(syms, 3, strings, 8, &s));
	ck_assert(find(s, "ok", &e));
	ck_assert_uint_eq(symbols_count(s), 1);
	symbols_destroy(s);
}
END_TEST

START_TEST(test_symbols_every_prefix_of_an_elf_file_is_survived)
{
	struct stat st;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	ck_assert_int_eq(fstat(fd, &st), 0);
	char *file = malloc((size_t)st.st_size);
	ck_assert_int_eq(pread(fd, file, (size_t)st.st_size, 0), st.st_size);
	close(fd);
	elf_version(EV_CURRENT);
	for (size_t len = 0; len < (size_t)st.st_size; len += 1 + (size_t)st.st_size / 200) {
		char *copy = malloc(len ? len : 1);
		struct symbols *s;

		memcpy(copy, file, len);
		Elf *elf = elf_memory(copy, len);
		if (elf) {
			ck_assert_no_err(symbols_create(elf, NULL, &s));
			symbols_destroy(s);
		}
		free(copy);
	}
	free(file);
}
END_TEST

START_TEST(test_build_id_is_hex)
{
	static const unsigned char notes[] = {
		4, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 'G', 'N', 'U', 0, 9,    9,	  0,	0, /* another note */
		4, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xab, 0x01, 0xff, 0,
	};
	char id[41];

	elf_sections_parse_build_id(notes, sizeof(notes), id);
	ck_assert_str_eq(id, "ab01ff");
}
END_TEST

START_TEST(test_build_id_of_broken_notes_is_empty)
{
	static const unsigned char huge[] = {4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 3, 0, 0, 0, 'G', 'N', 'U', 0, 1, 2};
	char id[41] = "x";

	elf_sections_parse_build_id(huge, sizeof(huge), id);
	ck_assert_str_eq(id, "");
	elf_sections_parse_build_id(huge, 3, id);
	ck_assert_str_eq(id, "");
	elf_sections_parse_build_id(NULL, 0, id);
	ck_assert_str_eq(id, "");
}
END_TEST

START_TEST(test_compiler_is_the_first_comment)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	char *compiler = elf_sections_compiler(elf);
	ck_assert_ptr_nonnull(compiler);
	ck_assert_ptr_nonnull(strstr(compiler, __VERSION__));
	free(compiler);
	elf_end(elf);
	close(fd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_symbols");
	TCase *tc = tcase_create("symbols");
	TCase *notes = tcase_create("notes");

	tcase_add_test(tc, test_symbols_finds_global_and_local);
	tcase_add_test(tc, test_symbols_marks_thread_local);
	tcase_add_test(tc, test_symbols_undefined_ones_are_not_there);
	tcase_add_test(tc, test_symbols_exported_are_those_of_dynsym);
	tcase_add_test(tc, test_symbols_who_imports_threads);
	tcase_add_test(tc, test_symbols_at_covers_the_function_only);
	tcase_add_test(tc, test_symbols_object_at_takes_variables_only);
	tcase_add_test(tc, test_symbols_object_at_looks_past_labels);
	tcase_add_test(tc, test_symbols_global_wins_over_local);
	tcase_add_test(tc, test_symbols_unterminated_strings_are_cut);
	tcase_add_test(tc, test_symbols_every_prefix_of_an_elf_file_is_survived);
	tcase_add_test(notes, test_build_id_is_hex);
	tcase_add_test(notes, test_build_id_of_broken_notes_is_empty);
	tcase_add_test(notes, test_compiler_is_the_first_comment);
	suite_add_tcase(suite, tc);
	suite_add_tcase(suite, notes);
	return check_main(suite);
}
