/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of base/audit: the line, the journal's record, and the count of omitted records. */
#include "check_main.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/audit.h"

static char output[1 << 20], record[4096];
static int saved_stderr;
static FILE *log_file;

static const struct audit_entry entry = {
	.uid = 1000,
	.pid = 41,
	.program = "a \"b\"\n\xc3\xa9",
	.method = "target.stop",
	.target = "t1\nx=y",
	.target_pid = 42,
	.outcome = "ok",
};

static void keep(const char *text, size_t len)
{
	ck_assert_uint_lt(len, sizeof(record));
	memcpy(record, text, len);
	record[len] = '\0';
}

static void setup(void)
{
	log_file = tmpfile();
	ck_assert_ptr_nonnull(log_file);
	saved_stderr = dup(STDERR_FILENO);
	dup2(fileno(log_file), STDERR_FILENO);
}

static void teardown(void)
{
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	fclose(log_file);
	audit_set(true, NULL);
}

/* Returns all text written to standard error. */
static const char *written(void)
{
	ssize_t n = pread(fileno(log_file), output, sizeof(output) - 1, 0);

	output[n > 0 ? n : 0] = '\0';
	return output;
}

START_TEST(test_line)
{
	audit_write(&entry);
	ck_assert_str_eq(written(), "audit: n=1 uid=1000 pid=41 program=\"a\\x20\\x22b\\x22\\x0a\\xc3\\xa9\" "
				    "method=target.stop target=t1\\x0ax=y target_pid=42 outcome=ok\n");
}
END_TEST

START_TEST(test_what_is_not_known_is_not_there)
{
	audit_write(&(struct audit_entry){.uid = 0, .method = "connect", .outcome = "unauthorized"});
	ck_assert_str_eq(written(), "audit: n=1 uid=0 method=connect outcome=unauthorized\n");
}
END_TEST

START_TEST(test_record_of_the_journal)
{
	audit_set(false, keep);
	audit_write(&entry);
	ck_assert_str_eq(written(), "");
	ck_assert_ptr_nonnull(strstr(record, "MESSAGE=n=1 uid=1000 pid=41 program="));
	ck_assert_ptr_nonnull(strstr(record, "\nPRIORITY=5\nSYSLOG_IDENTIFIER=ompdd\nOMPDD_UID=1000\nOMPDD_PID=41\n"));
	ck_assert_ptr_nonnull(strstr(record, "\nOMPDD_METHOD=target.stop\nOMPDD_TARGET=t1\\x0ax=y\n"
					     "OMPDD_TARGET_PID=42\nOMPDD_OUTCOME=ok\n"));
}
END_TEST

/* Successful requests are recorded even after a flood of refusals has used up the refusals' limit. */
START_TEST(test_flood)
{
	struct audit_entry refused = entry;
	unsigned n_lines = 0, n_left_out = 0, n;

	refused.outcome = "not_allowed";
	for (int i = 0; i < 3000; i++)
		audit_write(&refused);
	audit_write(&entry);
	audit_flush();
	const char *text = written();
	ck_assert_ptr_nonnull(strstr(text, "n=3001 uid=1000"));
	for (const char *p = text; (p = strstr(p, "outcome=not_allowed")); p++)
		n_lines++;
	for (const char *p = text; (p = strstr(p, "left_out=")); p++)
		n_left_out += sscanf(p, "left_out=%u", &n) == 1 ? n : 0;
	ck_assert_uint_lt(n_lines, 3000);
	ck_assert_uint_eq(n_lines + n_left_out, 3000);
	/* The message appears only once. */
	ck_assert_int_eq(ftruncate(fileno(log_file), 0), 0);
	audit_flush();
	ck_assert_str_eq(written(), "");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("audit");
	TCase *t = tcase_create("audit_write");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_line);
	tcase_add_test(t, test_what_is_not_known_is_not_there);
	tcase_add_test(t, test_record_of_the_journal);
	tcase_add_test(t, test_flood);
	suite_add_tcase(s, t);
	return check_main(s);
}
