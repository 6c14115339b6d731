/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target_open_core() on tiny cores: the same interface as for a process, and an error for every fault. */
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

#include "check_main.h"
#include "core_image.h"
#include "target/arch/arch.h"
#include "target/arch/arch_aarch64.h"
#include "target/target.h"

#define DATA 0x10000

static char folder[] = "/tmp/ompdd-core-test-XXXXXX";
static char path[64], other[64];
static struct core_image_notes notes;
static struct target *target;
static unsigned char page[8192];

static void setup(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/core", folder);
	snprintf(other, sizeof(other), "%s/other", folder);
	for (size_t i = 0; i < sizeof(page); i++)
		page[i] = (unsigned char)(i / 16 + i);
}

static void teardown(void)
{
	target_destroy(target);
	target = NULL;
	core_image_notes_deinit(&notes);
	unlink(path);
	unlink(other);
	rmdir(folder);
}

static void write_core(unsigned machine)
{
	const struct core_image_segment segments[] = {
		{DATA, sizeof(page), page, sizeof(page), PF_R | PF_W},
		{DATA + sizeof(page), 4096, page, 0, PF_R},
	};
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	core_image_write(fd, machine, &notes, segments, 2);
	close(fd);
}

static struct error *open_core(const char *file)
{
	const struct target_core_options options = {.core = file};

	return target_open_core(&options, &target);
}

static bool has_warning(const char *name)
{
	size_t n;
	const struct target_warning *warnings = target_warnings(target, &n);

	for (size_t i = 0; i < n; i++) {
		if (!strcmp(warnings[i].name, name))
			return true;
	}
	return false;
}

START_TEST(test_threads_memory_and_registers)
{
	const struct target_thread *threads;
	struct target_activity activity;
	struct target_registers registers;
	unsigned char bytes[300];
	size_t n;

	core_image_thread(&notes, 12, 11, 0x401111, 0, 202); /* futex on x86-64 */
	core_image_thread(&notes, 11, 0, 0x402222, 0, -1);
	core_image_process(&notes, 11, "tiny");
	write_core(EM_X86_64);
	ck_assert_no_err(open_core(path));
	ck_assert_int_eq(target_mode(target), TARGET_CORE);
	ck_assert_int_eq(target_pid(target), 11);
	ck_assert_str_eq(target_exe(target), "tiny");
	ck_assert_int_eq(target_core(target)->signal, 11);
	ck_assert_int_eq(target_core(target)->signal_tid, 12);
	ck_assert_no_err(target_threads(target, &threads, &n));
	ck_assert_uint_eq(n, 2);
	ck_assert_int_eq(threads[0].tid, 11);
	ck_assert_str_eq(threads[0].comm, "tiny");
	ck_assert_str_eq(threads[1].comm, "");
	target_activity(target, 12, &activity);
	ck_assert(activity.known && activity.in_syscall);
	ck_assert_int_eq(activity.syscall, SYS_futex);
	target_activity(target, 11, &activity);
	ck_assert(activity.known && !activity.in_syscall);
	ck_assert(target_registers(target, 11, &registers));
	ck_assert_uint_eq(registers.value[TARGET_REGISTER_PC], 0x402222);
	ck_assert(!target_registers(target, 13, &registers));
	ck_assert_no_err(target_read(target, DATA + 4000, bytes, sizeof(bytes)));
	ck_assert_mem_eq(bytes, page + 4000, sizeof(bytes));
	ck_assert_err(target_read(target, DATA - 1, bytes, 2), ERR_MEMORY_UNREADABLE);
	ck_assert_err(target_read(target, DATA + sizeof(page) - 1, bytes, 2), ERR_MEMORY_UNREADABLE);
	ck_assert_no_err(target_check(target));
	ck_assert(has_warning("core_file_missing"));
}
END_TEST

START_TEST(test_cores_neither_stop_nor_run)
{
	int64_t us;

	core_image_thread(&notes, 1, 0, 0, 0, -1);
	write_core(EM_X86_64);
	ck_assert_no_err(open_core(path));
	ck_assert_err(target_stop(target, 0), ERR_MODE_UNSUPPORTED);
	ck_assert_err(target_resume(target, &us), ERR_MODE_UNSUPPORTED);
	ck_assert(!target_is_stopped(target));
	ck_assert_int_eq(target_exit_fd(target), -1);
	target_poll(target);
}
END_TEST

START_TEST(test_cut_core)
{
	unsigned char byte;

	core_image_thread(&notes, 1, 0, 0, 0, -1);
	write_core(EM_X86_64);
	struct stat st;
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(truncate(path, st.st_size - 4096), 0);
	ck_assert_no_err(open_core(path));
	ck_assert(has_warning("core_truncated"));
	ck_assert_no_err(target_read(target, DATA, &byte, 1));
	ck_assert_err(target_read(target, DATA + 4096, &byte, 1), ERR_MEMORY_UNREADABLE);
	ck_assert_err(target_missing(target, 0), ERR_CORE_TRUNCATED);
	target_destroy(target);
	target = NULL;
	ck_assert_int_eq(truncate(path, 300), 0);
	ck_assert_err(open_core(path), ERR_CORE_TRUNCATED);
	ck_assert_int_eq(truncate(path, 100), 0);
	ck_assert_err(open_core(path), ERR_CORE_TRUNCATED);
	ck_assert_int_eq(truncate(path, 10), 0);
	ck_assert_err(open_core(path), ERR_CORE_TRUNCATED);
}
END_TEST

START_TEST(test_core_that_shrinks_while_it_is_open)
{
	unsigned char byte;

	core_image_thread(&notes, 1, 0, 0, 0, -1);
	write_core(EM_X86_64);
	ck_assert_no_err(open_core(path));
	ck_assert_int_eq(truncate(path, 0), 0);
	ck_assert_err(target_read(target, DATA, &byte, 1), ERR_MEMORY_UNREADABLE);
}
END_TEST

/*
 * A foreign core uses its own architecture's rules for registers, thread pointer and calls. The next target uses this
 * machine's rules again.
 */
START_TEST(test_core_of_aarch64)
{
	struct elf_prstatus status = {.pr_pid = 11, .pr_cursig = 6};
	unsigned char note[offsetof(struct elf_prstatus, pr_reg) + (AARCH64_PSTATE + 2) * sizeof(uint64_t)] = {0};
	const uint64_t pointer = 0xffff7000;
	const uint32_t svc = 0xd4000001;
	struct target_activity activity;
	struct target_registers registers;
	uint64_t regs[AARCH64_PSTATE + 1] = {
		[0] = 0x1234, [8] = 98, [AARCH64_SP] = DATA + 4096, [AARCH64_PC] = DATA + 16};

	memcpy(page + 16, &svc, sizeof(svc));
	memcpy(note, &status, offsetof(struct elf_prstatus, pr_reg));
	memcpy(note + offsetof(struct elf_prstatus, pr_reg), regs, sizeof(regs));
	core_image_note(&notes, "CORE", NT_PRSTATUS, note, sizeof(note));
	core_image_note(&notes, "LINUX", 0x401, &pointer, sizeof(pointer)); /* NT_ARM_TLS */
	core_image_process(&notes, 11, "tiny");
	write_core(EM_AARCH64);
	ck_assert_no_err(open_core(path));
	ck_assert_str_eq(arch->name, "aarch64");
	ck_assert(target_registers(target, 11, &registers));
	ck_assert_uint_eq(registers.known, TARGET_ALL_REGISTERS);
	ck_assert_uint_eq(registers.value[TARGET_REGISTER_PC], DATA + 16);
	ck_assert_uint_eq(registers.value[TARGET_REGISTER_SP], DATA + 4096);
	target_activity(target, 11, &activity);
	ck_assert(activity.known && activity.in_syscall);
	ck_assert_int_eq(activity.syscall, SYS_futex);
	ck_assert_uint_eq(activity.args[0], 0x1234);
	target_destroy(target);
	target = NULL;
	core_image_notes_deinit(&notes);
	core_image_thread(&notes, 12, 11, 0x401111, 0, -1);
	write_core(EM_X86_64);
	ck_assert_no_err(open_core(path));
	ck_assert_str_eq(arch->name, "x86-64");
	ck_assert(target_registers(target, 12, &registers));
	ck_assert_uint_eq(registers.value[TARGET_REGISTER_PC], 0x401111);
}
END_TEST

/* Writes only a header, of @size bytes, with the fields in its byte order: a wrong field must be refused by name. */
static void refuse(const void *header, size_t size, const char *who, const char *missing)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_eq(write(fd, header, size), (ssize_t)size);
	close(fd);
	struct error *err = open_core(path);
	ck_assert_ptr_nonnull(err);
	ck_assert(error_is(err, ERR_CORE_WRONG_ARCHITECTURE));
	ck_assert_msg(strstr(err->message, who) && strstr(err->message, missing), "%s", err->message);
	error_destroy(err);
}

/* The error names the missing part: there is never a wrong value. */
START_TEST(test_cores_that_are_refused)
{
	static const struct {
		uint16_t machine;
		unsigned char class, data;
		const char *who, *missing;
	} cases[] = {
		{EM_386, ELFCLASS32, ELFDATA2LSB, "32-bit, little-endian program for i386", "32-bit programs"},
		{EM_X86_64, ELFCLASS32, ELFDATA2LSB, "32-bit, little-endian program for x86-64", "32-bit programs"},
		{EM_ARM, ELFCLASS32, ELFDATA2LSB, "for arm", "32-bit programs"},
		{EM_S390, ELFCLASS64, ELFDATA2MSB, "64-bit, big-endian program for s390", "big-endian memory"},
		{EM_AARCH64, ELFCLASS64, ELFDATA2MSB, "big-endian program for aarch64", "big-endian memory"},
		{EM_PPC64, ELFCLASS64, ELFDATA2LSB, "for ppc64", "x86-64 and aarch64 only"},
		{EM_RISCV, ELFCLASS64, ELFDATA2LSB, "for riscv", "x86-64 and aarch64 only"},
		{0x1234, ELFCLASS64, ELFDATA2LSB, "for another processor (ELF machine 4660)",
		 "x86-64 and aarch64 only"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool big = cases[i].data == ELFDATA2MSB;
#define ORDER16(value) (uint16_t)(big ? (value) << 8 | (value) >> 8 : (value))
#define HEADER(Ehdr, Phdr)                                                                                             \
	(Ehdr)                                                                                                         \
	{                                                                                                              \
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, cases[i].class, cases[i].data, EV_CURRENT},            \
		.e_type = ORDER16(ET_CORE), .e_machine = ORDER16(cases[i].machine),                                    \
		.e_version = big ? EV_CURRENT << 24 : EV_CURRENT, .e_ehsize = ORDER16(sizeof(Ehdr)),                   \
		.e_phentsize = ORDER16(sizeof(Phdr)),                                                                  \
	}
		const Elf32_Ehdr narrow = HEADER(Elf32_Ehdr, Elf32_Phdr);
		const Elf64_Ehdr wide = HEADER(Elf64_Ehdr, Elf64_Phdr);
#undef HEADER
#undef ORDER16
		if (cases[i].class == ELFCLASS32)
			refuse(&narrow, sizeof(narrow), cases[i].who, cases[i].missing);
		else
			refuse(&wide, sizeof(wide), cases[i].who, cases[i].missing);
	}
}
END_TEST

START_TEST(test_wrong_files)
{
	core_image_thread(&notes, 1, 0, 0, 0, -1);
	write_core(EM_RISCV);
	ck_assert_err(open_core(path), ERR_CORE_WRONG_ARCHITECTURE);
	ck_assert_err(open_core(other), ERR_CORE_UNREADABLE);
	ck_assert_err(open_core(folder), ERR_CORE_UNREADABLE);
	ck_assert_err(open_core("/dev/zero"), ERR_CORE_UNREADABLE);
	ck_assert_err(open_core("/proc/self/exe"), ERR_CORE_NOT_A_CORE);
	ck_assert_err(open_core("/etc/passwd"), ERR_CORE_NOT_A_CORE);
	ck_assert_int_eq(mkfifo(other, 0600), 0);
	ck_assert_err(open_core(other), ERR_CORE_UNREADABLE);
}
END_TEST

START_TEST(test_no_threads)
{
	core_image_process(&notes, 1, "none");
	write_core(EM_X86_64);
	ck_assert_err(open_core(path), ERR_CORE_DAMAGED);
}
END_TEST

START_TEST(test_thread_pointer_is_believed_only_if_it_is_one)
{
	const struct target_thread *threads;
	const uint64_t self = DATA + 64;
	size_t n;

	memcpy(page + 64, &self, 8);
	memcpy(page + 64 + 16, &self, 8);
	core_image_thread(&notes, 1, 0, 0, DATA + 64, -1);
	core_image_thread(&notes, 2, 0, 0, DATA + 128, -1);
	core_image_thread(&notes, 3, 0, 0, UINT64_MAX - 4, -1);
	core_image_process(&notes, 1, "tiny");
	write_core(EM_X86_64);
	ck_assert_no_err(open_core(path));
	ck_assert_no_err(target_threads(target, &threads, &n));
	ck_assert_uint_eq(threads[0].pthread, self);
	ck_assert_uint_eq(threads[1].pthread, 0);
	ck_assert_uint_eq(threads[2].pthread, 0);
	ck_assert_ptr_eq(target_thread_by_pthread(target, self), &threads[0]);
}
END_TEST

/* gdb 13 writes zeros for stacks with guard pages inside. */
START_TEST(test_zeros_are_no_descriptor)
{
	const uint64_t self = DATA + 64;

	memcpy(page + 64, &self, 8);
	memcpy(page + 64 + 16, &self, 8);
	memset(page + 128, 0, 64);
	core_image_thread(&notes, 1, 0, 0, DATA + 64, -1);
	core_image_thread(&notes, 2, 0, 0, DATA + 128, -1);
	core_image_process(&notes, 1, "tiny");
	write_core(EM_X86_64);
	ck_assert_no_err(open_core(path));
	ck_assert_uint_eq(target_core(target)->n_unknown_threads, 1);
	ck_assert(has_warning("core_memory_left_out"));
	struct error *err = target_missing(target, 0);
	ck_assert_ptr_nonnull(strstr(error_hint_text(err), "ompdctl dump"));
	error_destroy(err);
}
END_TEST

/* Writes the core at @path as gzip to @other, but only the first @keep bytes of it. */
static void pack(size_t keep)
{
	static unsigned char all[1 << 20];
	int fd = open(path, O_RDONLY);
	ssize_t n = read(fd, all, sizeof(all));
	gzFile gz = gzopen(other, "wb1");

	close(fd);
	ck_assert_int_gt(n, 0);
	ck_assert_int_eq(gzwrite(gz, all, (unsigned)n), (int)n);
	ck_assert_int_eq(gzclose(gz), Z_OK);
	if (keep)
		ck_assert_int_eq(truncate(other, (off_t)keep), 0);
}

START_TEST(test_packed_core)
{
	unsigned char byte;
	struct stat st;

	for (size_t i = 0; i < sizeof(page); i++)
		page[i] = (unsigned char)(i * i * 2654435761u >> 13);
	core_image_thread(&notes, 1, 0, 0, 0, -1);
	write_core(EM_X86_64);
	pack(0);
	ck_assert_no_err(open_core(other));
	ck_assert_no_err(target_read(target, DATA + 5000, &byte, 1));
	ck_assert_uint_eq(byte, page[5000]);
	ck_assert(!has_warning("core_truncated"));
	target_destroy(target);
	target = NULL;
	ck_assert_int_eq(stat(other, &st), 0);
	pack((size_t)st.st_size - 2000);
	ck_assert_no_err(open_core(other));
	ck_assert(has_warning("core_truncated"));
}
END_TEST

START_TEST(test_named_places_must_be_there)
{
	core_image_thread(&notes, 1, 0, 0, 0, -1);
	write_core(EM_X86_64);
	const struct target_core_options no_exe = {.core = path, .exe = other};
	ck_assert_err(target_open_core(&no_exe, &target), ERR_CORE_FILE_MISSING);
	const struct target_core_options no_root = {.core = path, .sysroot = other};
	ck_assert_err(target_open_core(&no_root, &target), ERR_CORE_FILE_MISSING);
	ck_assert_ptr_null(target);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_core");
	TCase *tc = tcase_create("target_open_core");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_threads_memory_and_registers);
	tcase_add_test(tc, test_cores_neither_stop_nor_run);
	tcase_add_test(tc, test_cut_core);
	tcase_add_test(tc, test_core_that_shrinks_while_it_is_open);
	tcase_add_test(tc, test_core_of_aarch64);
	tcase_add_test(tc, test_cores_that_are_refused);
	tcase_add_test(tc, test_wrong_files);
	tcase_add_test(tc, test_no_threads);
	tcase_add_test(tc, test_thread_pointer_is_believed_only_if_it_is_one);
	tcase_add_test(tc, test_zeros_are_no_descriptor);
	tcase_add_test(tc, test_packed_core);
	tcase_add_test(tc, test_named_places_must_be_there);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
