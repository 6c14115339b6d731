/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/cli/processes.c on a folder that looks like /proc. */
#include "processes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"

static char proc[] = "/tmp/ompdd-processes-XXXXXX";

static void make(const char *pid, const char *comm, const char *exe)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", proc, pid);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/%s/comm", proc, pid);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f, "%s\n", comm);
	fclose(f);
	snprintf(path, sizeof(path), "%s/%s/exe", proc, pid);
	ck_assert_int_eq(symlink(exe, path), 0);
}

static void setup(void)
{
	strcpy(proc + strlen(proc) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(proc));
	make("30", "solver", "/opt/bin/solver");
	make("7", "a_very_long_nam", "/opt/bin/a_very_long_name_indeed");
	make("12", "solver", "/opt/bin/solver (deleted)");
	make("self", "solver", "/opt/bin/solver");
}

static void teardown(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -r %s", proc);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(test_by_command_or_program_name_in_order)
{
	struct processes found = {0};

	ck_assert_ptr_null(processes_find(proc, "solver", &found));
	ck_assert_uint_eq(found.n, 2);
	ck_assert_int_eq(found.pids[0], 12);
	ck_assert_int_eq(found.pids[1], 30);
	ck_assert_ptr_null(processes_find(proc, "a_very_long_name_indeed", &found));
	ck_assert_ptr_null(processes_find(proc, "a_very_long_nam", &found));
	ck_assert_uint_eq(found.n, 3);
	ck_assert_int_eq(found.pids[2], 7);
}
END_TEST

START_TEST(test_an_id_is_taken_as_it_is_and_once)
{
	struct processes found = {0};

	ck_assert_ptr_null(processes_find(proc, "4711", &found));
	ck_assert_ptr_null(processes_find(proc, "4711", &found));
	ck_assert_uint_eq(found.n, 1);
	ck_assert_int_eq(found.pids[0], 4711);
}
END_TEST

START_TEST(test_nobody_is_called_so)
{
	struct processes found = {0};
	struct error *f = processes_find(proc, "solve", &found);

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(f->code, ERR_ANSWER);
	ck_assert_ptr_nonnull(strstr(f->message, "the name solve"));
	error_destroy(f);
	f = processes_find("/nonexistent", "solver", &found);
	ck_assert_ptr_nonnull(f);
	error_destroy(f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("processes");
	TCase *find = tcase_create("processes_find");

	tcase_add_checked_fixture(find, setup, teardown);
	tcase_add_test(find, test_by_command_or_program_name_in_order);
	tcase_add_test(find, test_an_id_is_taken_as_it_is_and_once);
	tcase_add_test(find, test_nobody_is_called_so);
	suite_add_tcase(suite, find);
	return check_main(suite);
}
