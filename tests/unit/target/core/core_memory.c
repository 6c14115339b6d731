/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/core/core_memory: finding addresses, for segments in any order and of any kind. */
#include "target/core/core_memory.h"

#include <string.h>

#include "check_main.h"

static struct core_memory memory;

static void teardown(void)
{
	core_memory_deinit(&memory);
}

static void add(uint64_t address, uint64_t memsz, uint64_t offset, uint64_t filesz)
{
	const GElf_Phdr phdr = {
		.p_type = PT_LOAD,
		.p_vaddr = address,
		.p_memsz = memsz,
		.p_offset = offset,
		.p_filesz = filesz,
	};

	ck_assert_no_err(core_memory_add(&memory, &phdr));
}

static enum core_place locate(uint64_t address, size_t *len, uint64_t *offset)
{
	*offset = 0;
	return core_memory_locate(&memory, address, len, offset);
}

START_TEST(test_pieces)
{
	uint64_t offset;
	size_t len = 100000;

	add(0x5000, 0x3000, 0x2000, 0x1000);
	add(0x1000, 0x1000, 0x1000, 0x1000);
	core_memory_finish(&memory, 0x3000);
	ck_assert_int_eq(locate(0x1010, &len, &offset), CORE_IN_FILE);
	ck_assert_uint_eq(len, 0xff0);
	ck_assert_uint_eq(offset, 0x1010);
	len = 100000;
	ck_assert_int_eq(locate(0x0, &len, &offset), CORE_NOWHERE);
	ck_assert_uint_eq(len, 0x1000);
	len = 100000;
	ck_assert_int_eq(locate(0x6000, &len, &offset), CORE_LEFT_OUT);
	ck_assert_uint_eq(len, 0x2000);
	len = 7;
	ck_assert_int_eq(locate(UINT64_MAX, &len, &offset), CORE_NOWHERE);
	ck_assert_uint_eq(len, 7);
	ck_assert_uint_eq(memory.cut, 0);
	ck_assert_ptr_nonnull(core_memory_segment(&memory, 0x7fff));
	ck_assert_ptr_null(core_memory_segment(&memory, 0x8000));
}
END_TEST

START_TEST(test_what_was_cut_off_is_not_elsewhere)
{
	uint64_t offset;
	size_t len = 100000;

	add(0x1000, 0x4000, 0x1000, 0x3000);
	core_memory_finish(&memory, 0x2800);
	ck_assert_uint_eq(memory.cut, 0x1800);
	ck_assert_int_eq(locate(0x1000, &len, &offset), CORE_IN_FILE);
	ck_assert_uint_eq(len, 0x1800);
	len = 100000;
	ck_assert_int_eq(locate(0x2800, &len, &offset), CORE_CUT_OFF);
	ck_assert_uint_eq(len, 0x1800);
	ck_assert_int_eq(locate(0x4000, &len, &offset), CORE_LEFT_OUT);
}
END_TEST

START_TEST(test_overlapping_segments_have_one_owner_for_each_byte)
{
	uint64_t offset;
	size_t len = 100000;

	add(0x1000, 0x3000, 0x1000, 0x3000);
	add(0x2000, 0x4000, 0x10000, 0x4000);
	add(0x2000, 0x1000, 0x20000, 0x1000);
	add(0x1000, 0x3000, 0x30000, 0x3000);
	core_memory_finish(&memory, 0x100000);
	ck_assert_uint_eq(memory.n_damaged, 3);
	ck_assert_int_eq(locate(0x2000, &len, &offset), CORE_IN_FILE);
	ck_assert_uint_eq(offset, 0x2000);
	ck_assert_uint_eq(len, 0x2000);
	len = 100000;
	ck_assert_int_eq(locate(0x4000, &len, &offset), CORE_IN_FILE);
	ck_assert_uint_eq(offset, 0x12000);
	ck_assert_uint_eq(len, 0x2000);
}
END_TEST

START_TEST(test_nonsense_is_passed_over)
{
	add(UINT64_MAX - 0xfff, 0x2000, 0, 0);
	add(0x1000, 0x1000, UINT64_MAX - 10, 0x1000);
	add(0x1000, 0x1000, INT64_MAX, 0x1000);
	add(0x1000, 0, 0, 0);
	core_memory_finish(&memory, 0x1000);
	ck_assert_uint_eq(memory.n, 0);
	ck_assert_uint_eq(memory.n_damaged, 3);
	size_t len = 1;
	uint64_t offset;
	ck_assert_int_eq(locate(0x1000, &len, &offset), CORE_NOWHERE);
}
END_TEST

START_TEST(test_one_segment_too_many)
{
	GElf_Phdr phdr = {.p_type = PT_LOAD, .p_memsz = 1};
	struct error *err = NULL;

	/* A single assertion for all: each assertion takes longer than the check itself. */
	while (!err && phdr.p_vaddr < CORE_MAX_SEGMENTS) {
		err = core_memory_add(&memory, &phdr);
		phdr.p_vaddr++;
	}
	ck_assert_no_err(err);
	ck_assert_err(core_memory_add(&memory, &phdr), ERR_LIMIT_EXCEEDED);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_core_memory");
	TCase *tc = tcase_create("core_memory_locate");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_pieces);
	tcase_add_test(tc, test_what_was_cut_off_is_not_elsewhere);
	tcase_add_test(tc, test_overlapping_segments_have_one_owner_for_each_byte);
	tcase_add_test(tc, test_nonsense_is_passed_over);
	tcase_add_test(tc, test_one_segment_too_many);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
