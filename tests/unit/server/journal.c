/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of server/journal: one datagram per record, and no error without a listener. */
#include "check_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "server/journal.h"

START_TEST(test_record_arrives_whole)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char path[64], got[64];

	snprintf(path, sizeof(path), "/tmp/ompdd-unit-journal-%d", (int)getpid());
	memcpy(address.sun_path, path, strlen(path) + 1);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	unlink(path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert(journal_open(path));
	journal_send("A=1\nB=2\n", 8);
	journal_send("C=3\n", 4);
	ck_assert_int_eq(recv(fd, got, sizeof(got), 0), 8);
	ck_assert_mem_eq(got, "A=1\nB=2\n", 8);
	ck_assert_int_eq(recv(fd, got, sizeof(got), 0), 4);
	close(fd);
	/* The listener has gone meanwhile. */
	journal_send("D=4\n", 4);
	unlink(path);
}
END_TEST

START_TEST(test_nobody_listens)
{
	ck_assert(!journal_open("/nonexistent/socket"));
	journal_send("A=1\n", 4);
}
END_TEST

START_TEST(test_stream)
{
	char own[64];
	struct stat st;

	unsetenv("JOURNAL_STREAM");
	ck_assert(!journal_has_stderr());
	ck_assert_int_eq(fstat(STDERR_FILENO, &st), 0);
	snprintf(own, sizeof(own), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	setenv("JOURNAL_STREAM", own, 1);
	ck_assert(journal_has_stderr());
	setenv("JOURNAL_STREAM", "1:1", 1);
	ck_assert(!journal_has_stderr());
}
END_TEST

int main(void)
{
	Suite *s = suite_create("journal");
	TCase *t = tcase_create("journal");

	tcase_add_test(t, test_record_arrives_whole);
	tcase_add_test(t, test_nobody_listens);
	tcase_add_test(t, test_stream);
	suite_add_tcase(s, t);
	return check_main(s);
}
