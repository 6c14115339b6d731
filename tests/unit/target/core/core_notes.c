/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/core/core_notes: which notes are read, and which are skipped. */
#include "target/core/core_notes.h"

#include <elf.h>
#include <string.h>

#include "check_main.h"
#include "core_image.h"
#include "target/target.h"

static struct core_notes notes;
static struct core_image_notes image;

static void teardown(void)
{
	core_notes_deinit(&notes);
	core_image_notes_deinit(&image);
}

static struct error *add(void)
{
	Elf_Data data = {.d_buf = image.bytes, .d_size = image.len, .d_type = ELF_T_NHDR};

	return core_notes_add(&notes, &data);
}

static void parse(void)
{
	ck_assert_no_err(add());
	core_notes_finish(&notes);
}

START_TEST(test_threads_are_sorted_and_once)
{
	core_image_thread(&image, 30, 6, 0x401000, 0x7f0000, -1);
	core_image_thread(&image, 10, 0, 0x402000, 0x7f1000, 202);
	core_image_thread(&image, 30, 0, 0x403000, 0x7f2000, -1);
	parse();
	ck_assert_uint_eq(notes.n_threads, 2);
	ck_assert_int_eq(notes.threads[0].tid, 10);
	ck_assert_uint_eq(arch_thread_pointer(&core_notes_thread(&notes, 10)->regs), 0x7f1000);
	ck_assert_ptr_null(core_notes_thread(&notes, 20));
	ck_assert_uint_eq(notes.n_damaged, 1);
	ck_assert_int_eq(notes.first_tid, 30);
	ck_assert_int_eq(notes.signal, 6);
}
END_TEST

START_TEST(test_process_and_auxv)
{
	const uint64_t auxv[] = {AT_PHDR, 0x400040, AT_PHNUM, 11, AT_NULL, 0, AT_BASE, 5};

	core_image_process(&image, 77, "sixteen_letters_and_more");
	core_image_note(&image, "CORE", NT_AUXV, auxv, sizeof(auxv));
	parse();
	ck_assert_int_eq(notes.pid, 77);
	ck_assert_str_eq(notes.comm, "sixteen_letters");
	ck_assert_uint_eq(notes.flags, 0x40);
	ck_assert(notes.has_auxv);
	ck_assert_uint_eq(notes.auxv.phdr, 0x400040);
	ck_assert_uint_eq(notes.auxv.phnum, 11);
	ck_assert_uint_eq(notes.auxv.base, 0);
}
END_TEST

START_TEST(test_notes_of_other_owners_are_not_ours)
{
	core_image_note(&image, "LINUX", NT_PRSTATUS, "", 0);
	core_image_note(&image, "CORELLIA", NT_PRSTATUS, "", 0);
	core_image_note(&image, "", NT_PRSTATUS, "", 0);
	parse();
	ck_assert_uint_eq(notes.n_threads, 0);
	ck_assert_uint_eq(notes.n_damaged, 0);
}
END_TEST

START_TEST(test_short_notes_are_passed_over)
{
	static const uint32_t types[] = {NT_PRSTATUS, NT_PRPSINFO, NT_SIGINFO, NT_FILE};

	for (size_t i = 0; i < 4; i++)
		core_image_note(&image, "CORE", types[i], "short", 5);
	core_image_thread(&image, 0, 0, 0, 0, -1);
	core_image_thread(&image, -5, 0, 0, 0, -1);
	core_image_thread(&image, 1, 0, 0, 0, -1);
	parse();
	ck_assert_uint_eq(notes.n_damaged, 6);
	ck_assert_uint_eq(notes.n_threads, 1);
}
END_TEST

START_TEST(test_a_size_that_leads_out_ends_the_walk)
{
	Elf64_Nhdr bad = {5, 0xfffffff0u, NT_PRSTATUS};

	core_image_thread(&image, 1, 0, 0, 0, -1);
	core_image_note(&image, "CORE", NT_AUXV, "", 0);
	memcpy(image.bytes + image.len - 20, &bad, sizeof(bad));
	parse();
	ck_assert_uint_eq(notes.n_threads, 1);
	ck_assert_uint_eq(notes.n_damaged, 1);
}
END_TEST

START_TEST(test_one_thread_too_many)
{
	for (pid_t tid = 1; tid <= TARGET_MAX_THREADS; tid++)
		core_image_thread(&image, tid, 0, 0, 0, -1);
	ck_assert_no_err(add());
	core_image_notes_deinit(&image);
	core_image_thread(&image, TARGET_MAX_THREADS + 1, 0, 0, 0, -1);
	ck_assert_err(add(), ERR_LIMIT_EXCEEDED);
}
END_TEST

START_TEST(test_files_are_sorted_and_found)
{
	const uint64_t rows[] = {0x7000, 0x9000, 2, 0x1000, 0x3000, 0};
	const char *const paths[] = {"/lib/b", "/bin/a"};

	core_image_files(&image, rows, paths, 2);
	parse();
	ck_assert_uint_eq(notes.n_maps, 2);
	ck_assert_str_eq(notes.maps[0].path, "/bin/a");
	const struct core_map *map = core_notes_map(&notes, 0x8fff);
	ck_assert_str_eq(map->path, "/lib/b");
	ck_assert_uint_eq(map->offset, 0x2000);
	ck_assert_ptr_null(core_notes_map(&notes, 0x9000));
	ck_assert_ptr_null(core_notes_map(&notes, 0xfff));
	ck_assert_ptr_null(core_notes_map(&notes, 0x3000));
}
END_TEST

START_TEST(test_files_that_overlap_or_make_no_sense)
{
	const uint64_t rows[] = {0x1000, 0x3000, 0,	 0x2000, 0x4000, 0,	 0x5000,	0x5000,
				 0,	 0x6001, 0x7000, 0,	 0x8000, 0x9000, UINT64_MAX / 2};
	const char *const paths[] = {"/a", "/b", "/c", "/d", "/e"};

	core_image_files(&image, rows, paths, 5);
	parse();
	ck_assert_uint_eq(notes.n_maps, 1);
	ck_assert_str_eq(notes.maps[0].path, "/a");
	ck_assert_uint_eq(notes.n_damaged, 4);
}
END_TEST

START_TEST(test_a_count_of_files_that_is_too_large)
{
	const uint64_t desc[] = {UINT64_MAX / 24 + 2, 4096, 0x1000, 0x2000, 0};

	core_image_note(&image, "CORE", NT_FILE, desc, sizeof(desc));
	parse();
	ck_assert_uint_eq(notes.n_maps, 0);
	ck_assert_uint_eq(notes.n_damaged, 1);
}
END_TEST

START_TEST(test_names_of_files_that_run_out)
{
	const uint64_t desc[] = {2, 4096, 0x1000, 0x2000, 0, 0x3000, 0x4000, 0, 0x006161612fu};

	core_image_note(&image, "CORE", NT_FILE, desc, 8 * sizeof(uint64_t) + 4);
	parse();
	ck_assert_uint_eq(notes.n_maps, 1);
	ck_assert_str_eq(notes.maps[0].path, "/aaa");
	ck_assert_uint_eq(notes.n_damaged, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_core_notes");
	TCase *tc = tcase_create("core_notes_add");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_threads_are_sorted_and_once);
	tcase_add_test(tc, test_process_and_auxv);
	tcase_add_test(tc, test_notes_of_other_owners_are_not_ours);
	tcase_add_test(tc, test_short_notes_are_passed_over);
	tcase_add_test(tc, test_a_size_that_leads_out_ends_the_walk);
	tcase_add_test(tc, test_one_thread_too_many);
	tcase_add_test(tc, test_files_are_sorted_and_found);
	tcase_add_test(tc, test_files_that_overlap_or_make_no_sense);
	tcase_add_test(tc, test_a_count_of_files_that_is_too_large);
	tcase_add_test(tc, test_names_of_files_that_run_out);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
