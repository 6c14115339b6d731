/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tests of target/modules/link_maps: the dynamic linker's list in artificial memory: complete, missing, and from a
 * hostile program.
 */
#include "target/modules/link_maps.h"

#include <elf.h>
#include <link.h>

#include "check_main.h"
#include "fake_target.h"

#define BIAS	0x400000u
#define PHDRS	(BIAS + 0x40u)
#define DYNAMIC (BIAS + 0x1000u)
#define DEBUG	0x600000u
#define DEBUG2	0x600800u
#define MAPS	0x700000u
#define MAX	8

static struct target *t;
static const struct process_auxv auxv = {.phdr = PHDRS, .phnum = 2};
static struct link_maps_entry entries[MAX];
static bool is_whole;
static uint64_t r_debug;

static uint64_t map_at(unsigned i)
{
	return MAPS + i * 0x100u;
}

static void put_map(unsigned i, uint64_t next)
{
	const struct link_map map = {
		.l_addr = 0x10000u * i,
		.l_name = (char *)(uintptr_t)(map_at(i) + 0x80),
		.l_ld = (ElfW(Dyn) *)(uintptr_t)(0x10000u * i + 0x500),
		.l_next = (struct link_map *)(uintptr_t)next,
	};

	fake_target_poke(t, map_at(i), &map, sizeof(map));
}

static void put_debug(uint64_t addr, int version, uint64_t first, uint64_t next)
{
	const struct r_debug debug = {.r_version = version, .r_map = (struct link_map *)(uintptr_t)first};

	fake_target_poke(t, addr, &debug, sizeof(debug));
	fake_target_poke_u64(t, addr + sizeof(debug), next);
}

/* A program of three modules. */
static void setup(void)
{
	const Elf64_Phdr phdrs[] = {
		{.p_type = PT_PHDR, .p_vaddr = PHDRS - BIAS},
		{.p_type = PT_DYNAMIC, .p_vaddr = DYNAMIC - BIAS, .p_memsz = 3 * sizeof(Elf64_Dyn)},
	};
	const Elf64_Dyn dynamic[] = {
		{.d_tag = DT_NEEDED}, {.d_tag = DT_DEBUG, .d_un.d_ptr = DEBUG}, {.d_tag = DT_NULL}};

	t = fake_target_create(TARGET_OBSERVE);
	fake_target_map(t, BIAS, NULL, 0x2000);
	fake_target_map(t, DEBUG, NULL, 0x1000);
	fake_target_map(t, MAPS, NULL, 0x1000);
	fake_target_poke(t, PHDRS, phdrs, sizeof(phdrs));
	fake_target_poke(t, DYNAMIC, dynamic, sizeof(dynamic));
	put_debug(DEBUG, 1, map_at(0), 0);
	put_map(0, map_at(1));
	put_map(1, map_at(2));
	put_map(2, 0);
	r_debug = 0;
}

static void teardown(void)
{
	target_destroy(t);
}

static size_t list(void)
{
	return link_maps_list(t, &auxv, &r_debug, entries, MAX, &is_whole);
}

START_TEST(test_modules_come_in_link_order)
{
	ck_assert_uint_eq(list(), 3);
	ck_assert(is_whole);
	ck_assert_uint_eq(r_debug, DEBUG);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_uint_eq(entries[i].address, map_at(i));
		ck_assert_uint_eq(entries[i].bias, 0x10000u * i);
		ck_assert_uint_eq(entries[i].name, map_at(i) + 0x80);
		ck_assert_uint_eq(entries[i].dynamic, 0x10000u * i + 0x500);
	}
}
END_TEST

START_TEST(test_other_namespaces_follow)
{
	put_debug(DEBUG, 2, map_at(0), DEBUG2);
	put_debug(DEBUG2, 2, map_at(4), 0);
	put_map(4, 0);
	ck_assert_uint_eq(list(), 4);
	ck_assert_uint_eq(entries[3].address, map_at(4));
}
END_TEST

START_TEST(test_version_1_has_no_other_namespaces)
{
	put_debug(DEBUG, 1, map_at(0), DEBUG2);
	put_debug(DEBUG2, 1, map_at(4), 0);
	put_map(4, 0);
	ck_assert_uint_eq(list(), 3);
}
END_TEST

START_TEST(test_before_the_dynamic_linker_has_run_there_is_none)
{
	const Elf64_Dyn none = {.d_tag = DT_DEBUG};

	fake_target_poke(t, DYNAMIC + sizeof(none), &none, sizeof(none));
	ck_assert_uint_eq(list(), 0);
	ck_assert_uint_eq(r_debug, 0);
}
END_TEST

START_TEST(test_static_program_has_none)
{
	fake_target_poke_u32(t, PHDRS + sizeof(Elf64_Phdr), PT_NOTE);
	ck_assert_uint_eq(list(), 0);
}
END_TEST

START_TEST(test_list_that_leads_out_of_memory_ends_there)
{
	put_map(1, 0xdead0000);
	ck_assert_uint_eq(list(), 2);
	ck_assert(!is_whole);
}
END_TEST

START_TEST(test_list_that_leads_back_to_its_begin_ends_there)
{
	put_map(2, map_at(0));
	ck_assert_uint_eq(list(), 3);
}
END_TEST

START_TEST(test_list_that_bites_its_tail_is_cut)
{
	put_map(2, map_at(1));
	ck_assert_uint_eq(list(), MAX);
}
END_TEST

START_TEST(test_namespaces_that_bite_their_tail_are_cut)
{
	put_debug(DEBUG, 2, map_at(0), DEBUG);
	put_map(0, 0);
	ck_assert_uint_eq(list(), MAX);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target/modules/link_maps");
	TCase *tc = tcase_create("link_maps_list");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_modules_come_in_link_order);
	tcase_add_test(tc, test_other_namespaces_follow);
	tcase_add_test(tc, test_version_1_has_no_other_namespaces);
	tcase_add_test(tc, test_before_the_dynamic_linker_has_run_there_is_none);
	tcase_add_test(tc, test_static_program_has_none);
	tcase_add_test(tc, test_list_that_leads_out_of_memory_ends_there);
	tcase_add_test(tc, test_list_that_leads_back_to_its_begin_ends_there);
	tcase_add_test(tc, test_list_that_bites_its_tail_is_cut);
	tcase_add_test(tc, test_namespaces_that_bite_their_tail_are_cut);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
