/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/modules/memory_symbols: a dynamic section in artificial memory, honest and hostile. */
#include "target/modules/memory_symbols.h"

#include <elf.h>
#include <string.h>

#include "check_main.h"
#include "fake_target.h"

#define BIAS	0x400000u
#define DYNAMIC 0x1000u
#define SYMTAB	0x2000u
#define STRTAB	0x3000u
#define HASH	0x4000u
#define GNU	0x5000u
#define END	0x6000u

static struct target *t;
static struct symbols *symbols;
static Elf64_Ehdr ehdr;
static Elf64_Phdr phdrs[2];
static Elf64_Dyn dynamic[8];
static uint32_t hash[2], gnu[9];

static void poke(uint64_t offset, const void *data, size_t len)
{
	fake_target_poke(t, BIAS + offset, data, len);
}

static struct error *create(uint64_t at)
{
	poke(0, &ehdr, sizeof(ehdr));
	poke(sizeof(ehdr), phdrs, sizeof(phdrs));
	poke(DYNAMIC, dynamic, sizeof(dynamic));
	poke(HASH, hash, sizeof(hash));
	poke(GNU, gnu, sizeof(gnu));
	symbols_destroy(symbols);
	symbols = NULL;
	target_view_begin(t);
	return memory_symbols_create(t, BIAS, at, BIAS, &symbols);
}

/* Three symbols behind the empty one: "a", "b" and "c", at 0x100, 0x200 and 0x300. */
static void setup(void)
{
	static const char strings[] = "\0a\0b\0c";
	Elf64_Sym syms[4] = {{0}};

	for (unsigned i = 1; i < 4; i++)
		syms[i] = (Elf64_Sym){
			.st_name = 2 * i - 1,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = 1,
			.st_value = 0x100 * i,
			.st_size = 8,
		};
	t = fake_target_create(TARGET_OBSERVE);
	fake_target_map(t, BIAS, NULL, END);
	ehdr = (Elf64_Ehdr){.e_phoff = sizeof(ehdr), .e_phentsize = sizeof(phdrs[0]), .e_phnum = 2};
	memcpy(ehdr.e_ident, ELFMAG, SELFMAG);
	phdrs[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_vaddr = 0x900};
	phdrs[1] = (Elf64_Phdr){.p_type = PT_DYNAMIC, .p_vaddr = DYNAMIC};
	memset(dynamic, 0, sizeof(dynamic));
	dynamic[0] = (Elf64_Dyn){DT_SYMTAB, {BIAS + SYMTAB}};
	dynamic[1] = (Elf64_Dyn){DT_STRTAB, {BIAS + STRTAB}};
	dynamic[2] = (Elf64_Dyn){DT_STRSZ, {sizeof(strings)}};
	dynamic[3] = (Elf64_Dyn){DT_HASH, {BIAS + HASH}};
	hash[0] = 1;
	hash[1] = 4;
	/* Two buckets, from symbol 1, one word of filter, shift; filter; "b" and "c" in one chain, "a" in another. */
	memcpy(gnu, (const uint32_t[]){2, 1, 1, 6, 0, 0, 2, 1, 7}, sizeof(gnu));
	poke(GNU + sizeof(gnu), (const uint32_t[]){8, 9}, 8);
	poke(SYMTAB, syms, sizeof(syms));
	poke(STRTAB, strings, sizeof(strings));
}

static void teardown(void)
{
	symbols_destroy(symbols);
	symbols = NULL;
	target_destroy(t);
}

static void assert_found(unsigned n)
{
	static const char *const names[] = {"a", "b", "c"};
	struct symbols_entry entry;

	for (unsigned i = 0; i < 3; i++) {
		bool found = symbols_find(symbols, names[i], symbols_hash(names[i]), &entry);

		ck_assert_int_eq(found, i < n);
		if (found)
			ck_assert_uint_eq(entry.value, 0x100 * (i + 1));
	}
}

START_TEST(test_the_section_is_given_or_found)
{
	ck_assert_no_err(create(BIAS + DYNAMIC));
	assert_found(3);
	ck_assert_no_err(create(0));
	assert_found(3);
}
END_TEST

/* Like the vdso, which the dynamic linker cannot write. */
START_TEST(test_addresses_without_the_bias)
{
	for (int i = 0; i < 4; i++)
		if (dynamic[i].d_tag != DT_STRSZ)
			dynamic[i].d_un.d_ptr -= BIAS;
	ck_assert_no_err(create(0));
	assert_found(3);
}
END_TEST

START_TEST(test_the_table_is_as_long_as_its_hash_table_says)
{
	hash[1] = 3;
	ck_assert_no_err(create(0));
	assert_found(2);
	dynamic[3] = (Elf64_Dyn){DT_GNU_HASH, {BIAS + GNU}};
	ck_assert_no_err(create(0));
	assert_found(3);
	/* The chain of the highest bucket ends it. */
	poke(GNU + sizeof(gnu), (const uint32_t[]){9}, 4);
	ck_assert_no_err(create(0));
	assert_found(2);
	/* The hash table is empty, but it starts behind two symbols. */
	gnu[1] = 2;
	gnu[6] = gnu[7] = 0;
	ck_assert_no_err(create(0));
	assert_found(1);
}
END_TEST

START_TEST(test_nothing_behind_the_end_mark)
{
	dynamic[4] = dynamic[3];
	dynamic[3] = (Elf64_Dyn){DT_NULL, {0}};
	ck_assert_err(create(0), ERR_SYMBOL_NOT_FOUND);
}
END_TEST

START_TEST(test_a_header_that_is_none)
{
	const Elf64_Ehdr good = ehdr;

	ehdr.e_ident[1] = 'e';
	ck_assert_err(create(0), ERR_SYMBOL_NOT_FOUND);
	ehdr = good;
	ehdr.e_phentsize--;
	ck_assert_err(create(0), ERR_SYMBOL_NOT_FOUND);
	ehdr = good;
	ehdr.e_phnum = 1;
	ck_assert_err(create(0), ERR_SYMBOL_NOT_FOUND);
	/* More symbols than possible; otherwise the first one would be read. */
	ehdr.e_phnum = UINT16_MAX;
	ck_assert_err(create(0), ERR_SYMBOL_NOT_FOUND);
	ehdr = good;
	ehdr.e_phoff = UINT64_MAX / 2;
	ck_assert_err(create(0), ERR_MEMORY_UNREADABLE);
	ck_assert_ptr_null(symbols);
}
END_TEST

START_TEST(test_parts_that_are_missing)
{
	dynamic[_i].d_tag = DT_DEBUG;
	ck_assert_err(create(0), ERR_SYMBOL_NOT_FOUND);
}
END_TEST

START_TEST(test_lengths_that_cannot_be)
{
	/* The strings, */
	dynamic[2].d_un.d_val = UINT64_MAX;
	ck_assert_err(create(0), ERR_SYMBOL_NOT_FOUND);
	dynamic[2].d_un.d_val = END;
	ck_assert_err(create(0), ERR_MEMORY_UNREADABLE);
	dynamic[2].d_un.d_val = 7;
	/* the symbols, */
	hash[1] = UINT32_MAX;
	ck_assert_err(create(0), ERR_MEMORY_UNREADABLE);
	/* and the hash table. */
	dynamic[3] = (Elf64_Dyn){DT_GNU_HASH, {BIAS + GNU}};
	gnu[0] = UINT32_MAX;
	ck_assert_err(create(0), ERR_SYMBOL_NOT_FOUND);
	gnu[0] = 2;
	gnu[2] = UINT32_MAX;
	ck_assert_err(create(0), ERR_SYMBOL_NOT_FOUND);
	gnu[2] = 1;
	gnu[7] = UINT32_MAX;
	ck_assert_err(create(0), ERR_MEMORY_UNREADABLE);
	/* A chain of zeroes has no end except the end of the memory. */
	gnu[7] = 4;
	ck_assert_err(create(0), ERR_MEMORY_UNREADABLE);
}
END_TEST

START_TEST(test_names_beyond_the_strings_are_none)
{
	dynamic[2].d_un.d_val = 3;
	ck_assert_no_err(create(0));
	assert_found(1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_memory_symbols");
	TCase *tc = tcase_create("memory_symbols_create");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_the_section_is_given_or_found);
	tcase_add_test(tc, test_addresses_without_the_bias);
	tcase_add_test(tc, test_the_table_is_as_long_as_its_hash_table_says);
	tcase_add_test(tc, test_nothing_behind_the_end_mark);
	tcase_add_test(tc, test_a_header_that_is_none);
	tcase_add_loop_test(tc, test_parts_that_are_missing, 0, 4);
	tcase_add_test(tc, test_lengths_that_cannot_be);
	tcase_add_test(tc, test_names_beyond_the_strings_are_none);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
