/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parsers of target/proc/proc.c. */
#include "target/proc/proc.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"

#define STAT_TAIL " S 77 1 1 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 3 0 123456 0 0"

START_TEST(test_stat_name_with_parentheses_and_blanks)
{
	struct proc_stat st;

	ck_assert(proc_parse_stat("42 (a) R (b) )" STAT_TAIL, &st));
	ck_assert_str_eq(st.comm, "a) R (b) ");
	ck_assert_int_eq(st.state, 'S');
	ck_assert_int_eq(st.ppid, 77);
	ck_assert_uint_eq(st.start_time, 123456);
}
END_TEST

START_TEST(test_stat_long_name_is_cut)
{
	struct proc_stat st;

	ck_assert(proc_parse_stat("42 (0123456789abcdefghij)" STAT_TAIL, &st));
	ck_assert_str_eq(st.comm, "0123456789abcde");
}
END_TEST

START_TEST(test_stat_garbage_is_refused)
{
	struct proc_stat st;

	ck_assert(!proc_parse_stat("", &st));
	ck_assert(!proc_parse_stat("42", &st));
	ck_assert(!proc_parse_stat("42 )(", &st));
	ck_assert(!proc_parse_stat("42 (x)", &st));
	ck_assert(!proc_parse_stat("42 (x) S 1", &st));
}
END_TEST

START_TEST(test_stat_of_a_thread_that_dies)
{
	static const struct {
		const char *text;
		bool dying;
	} cases[] = {
		{"1 (x) R 7 1 1 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 3 0 9 0 0 1 2 3 4 5 6 0 0 0", false},
		{"1 (x) R 7 1 1 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 3 0 9 0 0 1 2 3 4 5 6 255 0 0", false},
		{"1 (x) R 7 1 1 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 3 0 9 0 0 1 2 3 4 5 6 256 0 0", true},
		{"1 (x) R 7 1 1 0 -1 4194308 1 0 0 0 0 0 0 0 20 0 3 0 9 0 0 1 2 3 4 5 6 0 0 0", true},
		{"1 (x) Z 7 1 1 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 3 0 9 0 0", true},
		{"1 (x) X 7 1 1 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 3 0 9 0 0", true},
	};
	struct proc_stat st;

	ck_assert(proc_parse_stat(cases[_i].text, &st));
	ck_assert_int_eq(st.dying, cases[_i].dying);
	ck_assert(!st.is_fork);
	ck_assert_uint_eq(st.start_time, 9);
}
END_TEST

START_TEST(test_stat_of_a_forks_child)
{
	struct proc_stat st;

	ck_assert(proc_parse_stat("1 (x) S 7 1 1 0 -1 4194368 1 0 0 0 0 0 0 0 20 0 3 0 9 0 0", &st));
	ck_assert(st.is_fork && !st.dying);
}
END_TEST

START_TEST(test_stat_of_this_process)
{
	char text[1024];
	struct proc_stat st;

	ck_assert_int_gt(proc_read(AT_FDCWD, "/proc/self/stat", text, sizeof(text)), 0);
	ck_assert(proc_parse_stat(text, &st));
	ck_assert_int_eq(st.ppid, getppid());
	ck_assert_int_eq(st.state, 'R');
}
END_TEST

/* The pipe is still open: a read beyond the line would block for ever. */
START_TEST(test_a_line_is_enough)
{
	char path[64], text[16];
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	ck_assert_int_eq(write(ends[1], "running\n", 8), 8);
	ck_assert_int_eq(proc_read_line(AT_FDCWD, path, text, sizeof(text)), 8);
	ck_assert_str_eq(text, "running\n");
	ck_assert_int_eq(write(ends[1], "no end", 6), 6);
	close(ends[1]);
	ck_assert_int_eq(proc_read_line(AT_FDCWD, path, text, sizeof(text)), 6);
	ck_assert_str_eq(text, "no end");
	ck_assert_int_lt(proc_read_line(AT_FDCWD, "/proc/self/none", text, sizeof(text)), 0);
	close(ends[0]);
}
END_TEST

START_TEST(test_status_of_this_process)
{
	char text[8192];
	struct proc_status st;

	ck_assert_int_gt(proc_read(AT_FDCWD, "/proc/self/status", text, sizeof(text)), 0);
	ck_assert(proc_parse_status(text, &st));
	ck_assert_uint_eq(st.uid[0], getuid());
	ck_assert_uint_eq(st.gid[1], getegid());
	ck_assert_uint_eq(st.threads, 1);
	ck_assert(st.has_mm);
}
END_TEST

START_TEST(test_status_without_memory_is_a_kernel_thread)
{
	struct proc_status st;

	ck_assert(proc_parse_status(
		"Name:\tkthreadd\nTracerPid:\t5\nUid:\t0\t0\t0\t0\n"
		"Gid:\t0\t0\t0\t0\nThreads:\t1\nCapPrm:\t000001ffffffffff\nCapEff:\t0000000000002000\n",
		&st));
	ck_assert(!st.has_mm);
	ck_assert_uint_eq(st.cap_prm, 0x1ffffffffff);
	ck_assert_uint_eq(st.cap_eff, 0x2000);
	ck_assert_int_eq(st.tracer_pid, 5);
}
END_TEST

START_TEST(test_switches_of_both_kinds_are_added)
{
	uint64_t n = 5;

	ck_assert(proc_parse_switches("Name:\tx\nvoluntary_ctxt_switches:\t40\nnonvoluntary_ctxt_switches:\t2\n", &n));
	ck_assert_uint_eq(n, 42);
	ck_assert(!proc_parse_switches("Name:\tx\nnonvoluntary_ctxt_switches:\t2\n", &n));
	ck_assert(!proc_parse_switches("voluntary_ctxt_switches:\t40\n", &n));
	ck_assert(!proc_parse_switches("voluntary_ctxt_switches:\t\nnonvoluntary_ctxt_switches:\tx\n", &n));
	ck_assert_uint_eq(n, 42);
}
END_TEST

START_TEST(test_status_garbage_is_refused)
{
	struct proc_status st;

	ck_assert(!proc_parse_status("", &st));
	ck_assert(!proc_parse_status("Uid:\t0\n", &st));
}
END_TEST

START_TEST(test_syscall_blocked)
{
	struct target_activity a;

	ck_assert(proc_parse_syscall("202 0x7f01 0x80 0x2 0x0 0x0 0xffffffff 0x7ffd0 0x7f22\n", &a));
	ck_assert(a.known && a.in_syscall);
	ck_assert_int_eq(a.syscall, 202);
	ck_assert_uint_eq(a.args[0], 0x7f01);
	ck_assert_uint_eq(a.args[5], 0xffffffff);
	ck_assert_uint_eq(a.sp, 0x7ffd0);
	ck_assert_uint_eq(a.pc, 0x7f22);
}
END_TEST

START_TEST(test_syscall_outside_of_one)
{
	struct target_activity a;

	ck_assert(proc_parse_syscall("-1 0x7ffd0 0x7f22\n", &a));
	ck_assert(a.known && !a.in_syscall);
	ck_assert_uint_eq(a.pc, 0x7f22);
}
END_TEST

START_TEST(test_syscall_running_or_garbage)
{
	struct target_activity a;

	ck_assert(!proc_parse_syscall("running\n", &a));
	ck_assert(!proc_parse_syscall("202 0x1\n", &a));
	ck_assert(!proc_parse_syscall("", &a));
}
END_TEST

static size_t count_maps(const char *text, struct proc_map *last)
{
	const char *at = text;
	size_t n = 0;

	while (proc_next_map(&at, text + strlen(text), last))
		n++;
	return n;
}

START_TEST(test_maps_file)
{
	struct proc_map m;

	ck_assert_uint_eq(count_maps("7f00-7f10 r-xp 00001000 fe:01 1234   /usr/lib/a b.so\n", &m), 1);
	ck_assert_uint_eq(m.start, 0x7f00);
	ck_assert_uint_eq(m.end, 0x7f10);
	ck_assert_uint_eq(m.offset, 0x1000);
	ck_assert_uint_eq(m.dev_major, 0xfe);
	ck_assert_uint_eq(m.dev_minor, 1);
	ck_assert_uint_eq(m.inode, 1234);
	ck_assert(m.read && !m.write && m.exec && !m.deleted);
	ck_assert_uint_eq(m.path_len, strlen("/usr/lib/a b.so"));
	ck_assert(!memcmp(m.path, "/usr/lib/a b.so", m.path_len));
}
END_TEST

START_TEST(test_maps_deleted_file)
{
	struct proc_map m;

	ck_assert_uint_eq(count_maps("1000-2000 r--p 0 00:01 9 /tmp/x (deleted)\n", &m), 1);
	ck_assert(m.deleted);
	ck_assert_uint_eq(m.path_len, strlen("/tmp/x"));
}
END_TEST

START_TEST(test_maps_anonymous_and_last_line_without_newline)
{
	struct proc_map m;

	ck_assert_uint_eq(count_maps("1000-2000 rw-p 00000000 00:00 0 \n"
				     "2000-3000 rw-p 00000000 00:00 0 [heap]",
				     &m),
			  2);
	ck_assert_uint_eq(m.inode, 0);
	ck_assert(!memcmp(m.path, "[heap]", m.path_len));
}
END_TEST

START_TEST(test_maps_bad_lines_are_skipped)
{
	struct proc_map m;

	ck_assert_uint_eq(count_maps("\nxyz\n1000-1000 r--p 0 0:0 0\n2000-1000 r--p 0 0:0 0\n"
				     "11112222333344445-2 r--p 0 0:0 0\n1000-\n1000-2000 r--\n"
				     "3000-4000 r--p 0 0:0 0\n",
				     &m),
			  1);
	ck_assert_uint_eq(m.start, 0x3000);
}
END_TEST

START_TEST(test_maps_of_this_process_are_ordered)
{
	char *text;
	size_t len, n = 0;
	struct proc_map m;
	uint64_t last = 0;
	bool found = false;

	ck_assert_no_err(proc_read_all(AT_FDCWD, "/proc/self/maps", PROC_MAX_MAPS, &text, &len));
	const char *at = text;
	for (; proc_next_map(&at, text + len, &m); n++) {
		ck_assert_uint_ge(m.start, last);
		last = m.end;
		uint64_t own = (uint64_t)(uintptr_t)&count_maps;
		found |= own >= m.start && own < m.end && m.exec;
	}
	ck_assert_uint_gt(n, 5);
	ck_assert(found);
	free(text);
}
END_TEST

START_TEST(test_tasks_of_this_process)
{
	int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY);
	pid_t *tids;
	size_t n;

	for (int round = 0; round < 2; round++) {
		ck_assert_no_err(proc_list_tasks(fd, &tids, &n));
		ck_assert_uint_eq(n, 1);
		ck_assert_int_eq(tids[0], getpid());
		free(tids);
	}
	close(fd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_proc");
	TCase *stat = tcase_create("stat");
	TCase *status = tcase_create("status");
	TCase *sys = tcase_create("syscall");
	TCase *maps = tcase_create("maps");
	TCase *tasks = tcase_create("tasks");

	tcase_add_test(stat, test_stat_name_with_parentheses_and_blanks);
	tcase_add_test(stat, test_stat_long_name_is_cut);
	tcase_add_test(stat, test_stat_garbage_is_refused);
	tcase_add_loop_test(stat, test_stat_of_a_thread_that_dies, 0, 6);
	tcase_add_test(stat, test_stat_of_a_forks_child);
	tcase_add_test(stat, test_stat_of_this_process);
	tcase_add_test(stat, test_a_line_is_enough);
	tcase_add_test(status, test_status_of_this_process);
	tcase_add_test(status, test_status_without_memory_is_a_kernel_thread);
	tcase_add_test(status, test_switches_of_both_kinds_are_added);
	tcase_add_test(status, test_status_garbage_is_refused);
	tcase_add_test(sys, test_syscall_blocked);
	tcase_add_test(sys, test_syscall_outside_of_one);
	tcase_add_test(sys, test_syscall_running_or_garbage);
	tcase_add_test(maps, test_maps_file);
	tcase_add_test(maps, test_maps_deleted_file);
	tcase_add_test(maps, test_maps_anonymous_and_last_line_without_newline);
	tcase_add_test(maps, test_maps_bad_lines_are_skipped);
	tcase_add_test(maps, test_maps_of_this_process_are_ordered);
	tcase_add_test(tasks, test_tasks_of_this_process);
	suite_add_tcase(suite, stat);
	suite_add_tcase(suite, status);
	suite_add_tcase(suite, sys);
	suite_add_tcase(suite, maps);
	suite_add_tcase(suite, tasks);
	return check_main(suite);
}
