/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/sandbox/broker: what a worker gets, and what a hostile library does not get. */
#include "target/sandbox/broker_protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"

static pid_t other;

static void setup(void)
{
	other = fork();
	if (other == 0) {
		for (;;)
			pause();
	}
	ck_assert_int_gt(other, 0);
}

static void teardown(void)
{
	broker_end();
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}

static void start(struct broker_rights rights)
{
	ck_assert_no_err(broker_start(&rights));
}

/* An absolute link leads below the given root, not out of it. */
START_TEST(test_keeps_to_a_root)
{
	char folder[] = "/tmp/ompdd-unit-broker-XXXXXX";
	struct stat st, outside;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	int root = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(root, 0);
	ck_assert_int_eq(mkdirat(root, "etc", 0700), 0);
	close(openat(root, "etc/passwd", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	ck_assert_int_eq(symlinkat("/etc/passwd", root, "link"), 0);
	start((struct broker_rights){0});
	int fd = broker_open_in_root(root, "/link");
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(stat("/etc/passwd", &outside), 0);
	ck_assert(st.st_ino != outside.st_ino || st.st_dev != outside.st_dev);
	ck_assert_int_eq(fcntl(fd, F_GETFL) & O_PATH, O_PATH);
	close(fd);
	ck_assert_int_eq(broker_open_in_root(root, "missing"), -1);
	ck_assert_int_eq(errno, ENOENT);
	unlinkat(root, "link", 0);
	unlinkat(root, "etc/passwd", 0);
	unlinkat(root, "etc", AT_REMOVEDIR);
	close(root);
	rmdir(folder);
}
END_TEST

START_TEST(test_memory_has_a_size_and_a_limit)
{
	start((struct broker_rights){0});
	int fd = broker_create_memory(8192);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, "x", 1, 8191), 1);
	ck_assert_int_eq(pwrite(fd, "x", 1, 8192), -1);
	ck_assert_int_eq(ftruncate(fd, 1 << 30), -1);
	close(fd);
	/* Closed files count, too. */
	for (int i = 0; i < 3; i++)
		close(broker_create_memory(64 << 20));
	ck_assert_int_eq(broker_create_memory(64 << 20), -1);
	ck_assert_int_eq(errno, ENOMEM);
	ck_assert_int_eq(broker_create_memory(SIZE_MAX), -1);
}
END_TEST

START_TEST(test_files_are_for_cores)
{
	char dir[64];

	start((struct broker_rights){.pid = other, .traces = true});
	ck_assert_int_eq(broker_create_file(dir, sizeof(dir)), -1);
	ck_assert_int_eq(errno, EPERM);
	broker_end();
	start((struct broker_rights){.creates_files = true});
	for (int i = 0; i < 4; i++)
		ck_assert_int_ge(broker_create_file(dir, sizeof(dir)), 0);
	ck_assert_int_eq(broker_create_file(dir, sizeof(dir)), -1);
}
END_TEST

static void assert_no_tracer(pid_t pid)
{
	struct tracer_ends tracer;
	struct error *err = broker_start_tracer(pid, &tracer);

	ck_assert_msg(err != NULL, "a tracer for process %d", (int)pid);
	ck_assert_int_eq(err->code, ERR_TRACER_FAILED);
	error_destroy(err);
}

START_TEST(test_touches_no_process_but_the_target)
{
	char byte = 0;

	start((struct broker_rights){.pid = other, .traces = true});
	assert_no_tracer(getpid());
	ck_assert(!broker_restore(getpid(), (uintptr_t)&byte, "x", 1));
	ck_assert(byte == 0);
	ck_assert_int_eq(broker_open_perf(getpid(), 1000), -1);
	ck_assert_int_eq(errno, ESRCH);
	/* Without a stop there is nothing to restore. */
	broker_end();
	start((struct broker_rights){.pid = other});
	assert_no_tracer(other);
	ck_assert(!broker_restore(other, (uintptr_t)&byte, "x", 1));
}
END_TEST

/* By then another process may have the target's number. */
START_TEST(test_the_target_has_ended)
{
	start((struct broker_rights){.pid = other, .traces = true});
	/* When it answers, it has opened the target's pidfd. */
	close(broker_create_memory(1));
	kill(other, SIGKILL);
	siginfo_t info;
	ck_assert_int_eq(waitid(P_PID, (id_t)other, &info, WEXITED | WNOWAIT), 0);
	assert_no_tracer(other);
}
END_TEST

static int32_t serve(const struct broker_request *r, size_t n_bytes, int fd)
{
	struct broker b = {.rights = {.pid = other, .traces = true}, .is_apart = true, .pidfd = -1};
	struct broker_reply reply;
	int fds[BROKER_MAX_FDS];

	broker_serve(&b, r, n_bytes, fd, &reply, fds);
	for (int i = 0; i < BROKER_MAX_FDS; i++)
		ck_assert_int_eq(fds[i], -1);
	return reply.error;
}

START_TEST(test_malformed_requests)
{
	struct broker_request r = {.op = BROKER_OPEN};
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	memset(r.bytes, '/', sizeof(r.bytes));
	ck_assert_int_eq(serve(&r, sizeof(r.bytes), root), EINVAL);
	ck_assert_int_eq(serve(&r, 0, root), EINVAL);
	r.bytes[0] = '\0';
	ck_assert_int_eq(serve(&r, 1, -1), EINVAL);
	r = (struct broker_request){.op = BROKER_RESTORE, .id = other};
	ck_assert_int_eq(serve(&r, ARCH_BREAKPOINT_BYTES + 1, -1), EINVAL);
	r = (struct broker_request){.op = BROKER_PERF, .id = other, .value = 1};
	ck_assert_int_eq(serve(&r, 0, -1), EPERM);
	for (uint32_t op = BROKER_USER + 1; op; op <<= 1) {
		r.op = op;
		ck_assert_int_eq(serve(&r, 0, -1), ENOSYS);
	}
	r.op = 0;
	ck_assert_int_eq(serve(&r, 0, -1), ENOSYS);
	close(root);
}
END_TEST

START_TEST(test_ends_with_its_worker)
{
	int status;

	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	start((struct broker_rights){0});
	broker_end();
	/* The only remaining child. */
	ck_assert_int_gt(waitpid(-1, &status, 0), 0);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_broker");
	TCase *tc = tcase_create("target_broker");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_keeps_to_a_root);
	tcase_add_test(tc, test_memory_has_a_size_and_a_limit);
	tcase_add_test(tc, test_files_are_for_cores);
	tcase_add_test(tc, test_touches_no_process_but_the_target);
	tcase_add_test(tc, test_the_target_has_ended);
	tcase_add_test(tc, test_malformed_requests);
	tcase_add_test(tc, test_ends_with_its_worker);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
