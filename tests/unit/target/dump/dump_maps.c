/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/dump/dump_maps: the attributes of mappings, and what a core contains of each. */
#include "target/dump/dump_maps.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check_main.h"

#define PAGE 4096

static struct dump_maps maps;

static void teardown(void)
{
	dump_maps_deinit(&maps);
}

static void add(const char *text)
{
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");

		ck_assert(dump_maps_add_line(&maps, line, len));
		line += len + (line[len] == '\n');
	}
}

/* Return how much of the mapping in @line a core contains. */
static uint64_t size_of(const char *line)
{
	const char *at = line;
	struct proc_map map;

	ck_assert(proc_next_map(&at, line + strlen(line), &map));
	return dump_maps_size(&maps, &map, PAGE);
}

START_TEST(test_sizes_follow_the_kernels_default)
{
	static const struct {
		const char *line;
		uint64_t size;
	} rows[] = {
		{"1000-3000 rw-p 00000000 00:00 0 [heap]", 0x2000},
		{"1000-3000 rw-p 00002000 08:01 7 /lib/a.so", 0x2000},
		{"1000-3000 ---p 00000000 00:00 0", 0},
		{"1000-3000 r-xp 00000000 00:00 0 [vdso]", 0x2000},
		{"1000-3000 rw-s 00000000 00:01 9 /dev/zero (deleted)", 0x2000},
		{"1000-3000 rw-s 00000000 08:01 9 /data", 0},
		{"1000-3000 r--p 00000000 08:01 7 /lib/a.so (deleted)", 0x2000},
		{"0-10000000001 rw-p 00000000 00:00 0", 0},
	};

	add("1000-3000 r--p 00000000 08:01 7 /x\nAnonymous:             0 kB\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_msg(size_of(rows[i].line) == rows[i].size, "%s", rows[i].line);
	/* Unchanged and with a file: only the page with the ELF header. */
	ck_assert_uint_eq(size_of("1000-3000 r-xp 00000000 08:01 7 /lib/a.so"), PAGE);
	ck_assert_uint_eq(size_of("1000-3000 r-xp 00002000 08:01 7 /lib/a.so"), 0);
}
END_TEST

START_TEST(test_attributes)
{
	add("1000-2000 r--p 00001000 08:01 7 /lib/a.so\nSize:  4 kB\nAnonymous:             4 kB\nVmFlags: rd mr mw me "
	    "ac \n"
	    "2000-3000 rw-p 00000000 00:00 0 \nAnonymous: 4 kB\nVmFlags: rd wr mr mw me dd\n"
	    "3000-4000 rw-p 00000000 00:00 0 \nAnonymous: 4 kB\nVmFlags: rd wr io mr\n"
	    "4000-5000 rw-p 00000000 00:00 0 \nAnonymous: 4 kB\nVmFlags: rd wr mr mw me nr\n");
	ck_assert_uint_eq(maps.n, 4);
	ck_assert_uint_eq(size_of("1000-2000 r--p 00001000 08:01 7 /lib/a.so"), PAGE);
	ck_assert_uint_eq(size_of("2000-3000 rw-p 00000000 00:00 0"), 0);
	ck_assert_uint_eq(size_of("3000-4000 rw-p 00000000 00:00 0"), 0);
	ck_assert_uint_eq(size_of("4000-5000 rw-p 00000000 00:00 0"), PAGE);
	/* Mapped since the list was read. */
	ck_assert_uint_eq(size_of("6000-7000 r--p 00001000 08:01 7 /lib/a.so"), PAGE);
}
END_TEST

START_TEST(test_lines_of_unknown_form_are_skipped)
{
	add("VmFlags: dd\nAnonymous: 9 kB\nnonsense\n\nVmFlags:\nAnonymous:\n");
	ck_assert_uint_eq(maps.n, 0);
	add("1000-2000 rw-p 00000000 00:00 0\nVmFlags: d\nVmFlags:dd\nAnonymous\n");
	ck_assert_uint_eq(maps.n, 1);
	ck_assert(!maps.rows[0].is_excluded && !maps.rows[0].is_changed);
}
END_TEST

START_TEST(test_own_process)
{
	int self = open("/proc/self", O_PATH | O_DIRECTORY);
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(page, MAP_FAILED);
	*page = 1;
	ck_assert_int_eq(madvise(page, PAGE, MADV_DONTDUMP), 0);
	ck_assert_no_err(dump_maps_read(&maps, self));
	ck_assert_uint_gt(maps.n, 5);
	const struct proc_map map = {.start = (uint64_t)(uintptr_t)page,
				     .end = (uint64_t)(uintptr_t)page + PAGE,
				     .read = true,
				     .write = true};
	ck_assert_uint_eq(dump_maps_size(&maps, &map, PAGE), 0);
	munmap(page, PAGE);
	close(self);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_dump_maps");
	TCase *tcase = tcase_create("dump_maps");

	tcase_add_checked_fixture(tcase, NULL, teardown);
	tcase_add_test(tcase, test_sizes_follow_the_kernels_default);
	tcase_add_test(tcase, test_attributes);
	tcase_add_test(tcase, test_lines_of_unknown_form_are_skipped);
	tcase_add_test(tcase, test_own_process);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
