/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/dump/dump_notes: the reader of cores understands the notes. */
#include "target/dump/dump_notes.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "target/core/core_notes.h"

#define PAGE 4096

static struct buf notes;
static struct core_notes seen;

static void teardown(void)
{
	buf_deinit(&notes);
	core_notes_deinit(&seen);
}

static void read_back(void)
{
	Elf_Data data = {.d_buf = (void *)buf_head(&notes), .d_size = notes.len, .d_type = ELF_T_NHDR};

	ck_assert_no_err(core_notes_add(&seen, &data));
	core_notes_finish(&seen);
	ck_assert_uint_eq(seen.n_damaged, 0);
}

START_TEST(test_process)
{
	int self = open("/proc/self", O_PATH | O_DIRECTORY);

	ck_assert_no_err(dump_notes_add_process(&notes, self, getpid()));
	close(self);
	read_back();
	ck_assert_int_eq(seen.pid, getpid());
	ck_assert_str_eq(seen.comm, "unit_target_dum");
	ck_assert(seen.has_auxv);
	ck_assert_uint_ne(seen.auxv.phdr, 0);
	/* Each test runs in a forked process. */
	ck_assert_uint_ne(seen.flags & PROC_FORKNOEXEC, 0);
}
END_TEST

START_TEST(test_threads)
{
	struct stopped_threads threads = {0};
	struct arch_registers registers = {{0}};
	size_t n;

	for (pid_t tid = 30; tid >= 10; tid -= 10) {
		registers.word[arch->pc_word] = (uint64_t)tid * 0x1000;
		registers.word[arch->pointer_word] = (uint64_t)tid;
		stopped_threads_add(tid, &registers, &threads);
	}
	/* Killed meanwhile: without registers. */
	stopped_threads_add(40, NULL, &threads);
	stopped_threads_sort(&threads);
	ck_assert_no_err(dump_notes_add_threads(&notes, &threads, 20, &n));
	ck_assert_uint_eq(n, 3);
	read_back();
	ck_assert_uint_eq(seen.n_threads, 3);
	ck_assert_int_eq(seen.first_tid, 20);
	ck_assert_int_eq(seen.signal, 0);
	for (pid_t tid = 10; tid <= 30; tid += 10) {
		const struct core_thread *thread = core_notes_thread(&seen, tid);

		ck_assert_ptr_nonnull(thread);
		ck_assert_uint_eq(arch_pc(&thread->regs), (uint64_t)tid * 0x1000);
		ck_assert_uint_eq(arch_thread_pointer(&thread->regs), (uint64_t)tid);
	}
	stopped_threads_deinit(&threads);
}
END_TEST

START_TEST(test_files)
{
	static const char text[] = "1000-3000 r-xp 00001000 08:01 7 /lib/a.so\n"
				   "3000-4000 rw-p 00000000 00:00 0 [heap]\n"
				   "5000-6000 r--p 00000000 08:01 9 /lib/an odd name.so (deleted)\n";
	struct proc_map rows[3];
	struct maps maps = {.maps = rows};
	const char *at = text;

	while (proc_next_map(&at, text + sizeof(text) - 1, &rows[maps.n]))
		maps.n++;
	ck_assert_no_err(dump_notes_add_files(&notes, &maps, PAGE));
	read_back();
	ck_assert_uint_eq(seen.n_maps, 2);
	ck_assert_str_eq(seen.maps[0].path, "/lib/a.so");
	ck_assert_uint_eq(seen.maps[0].offset, 0x1000);
	ck_assert_str_eq(core_notes_map(&seen, 0x5fff)->path, "/lib/an odd name.so (deleted)");
}
END_TEST

START_TEST(test_own_note)
{
	const struct dump_note note = {.late = 8192, .unreadable = 4096, .stopped_us = 77};

	ck_assert_no_err(dump_notes_add_dump(&notes, &note));
	read_back();
	ck_assert(seen.has_dump);
	ck_assert_mem_eq(&seen.dump, &note, sizeof(note));
}
END_TEST

START_TEST(test_own_note_that_is_short)
{
	const struct dump_note note = {.late = 8192};

	ck_assert_no_err(dump_notes_add_dump(&notes, &note));
	/* The size of the contents, in the second word of the header. */
	((uint32_t *)(void *)buf_head(&notes))[1] -= 8;
	Elf_Data data = {.d_buf = (void *)buf_head(&notes), .d_size = notes.len - 8, .d_type = ELF_T_NHDR};
	ck_assert_no_err(core_notes_add(&seen, &data));
	ck_assert_uint_eq(seen.n_damaged, 1);
	ck_assert(!seen.has_dump);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_dump_notes");
	TCase *tcase = tcase_create("dump_notes");

	tcase_add_checked_fixture(tcase, NULL, teardown);
	tcase_add_test(tcase, test_process);
	tcase_add_test(tcase, test_threads);
	tcase_add_test(tcase, test_files);
	tcase_add_test(tcase, test_own_note);
	tcase_add_test(tcase, test_own_note_that_is_short);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
