/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/process/attach.c: which processes may be attached, and the errors for the others. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "error_detail.h"
#include "child.h"
#include "target/control.h"
#include "target/target.h"

static pid_t child;

static void teardown(void)
{
	if (child > 0)
		child_end(child);
	child = 0;
}

START_TEST(test_attach_no_such_process)
{
	struct target *t;

	ck_assert_err(target_attach(0, TARGET_OBSERVE, 200, &t), ERR_NO_SUCH_PROCESS);
	ck_assert_err(target_attach(-5, TARGET_OBSERVE, 200, &t), ERR_NO_SUCH_PROCESS);
	child = child_start(child_sleeper);
	pid_t pid = child;
	teardown();
	ck_assert_err(target_attach(pid, TARGET_STOP, 200, &t), ERR_NO_SUCH_PROCESS);
}
END_TEST

START_TEST(test_attach_thread_id_names_its_process)
{
	struct target *t;
	char pid[16];

	child = child_start(child_four_futex);
	child_wait_ready(5);
	struct error *err = target_attach(child_shared->tids[1], TARGET_OBSERVE, 200, &t);
	ck_assert(error_is(err, ERR_NO_SUCH_PROCESS));
	snprintf(pid, sizeof(pid), "%d", child);
	ck_assert_ptr_nonnull(strstr(error_hint_text(err), pid));
	error_destroy(err);
}
END_TEST

/* A process that calls exec may have exited before its new program is opened. */
START_TEST(test_reopen_after_the_exit)
{
	struct target *t, *fresh;

	child = child_start(child_sleeper);
	ck_assert_no_err(target_attach(child, TARGET_STOP, 200, &t));
	teardown();
	ck_assert_err(target_reopen(t, &fresh), ERR_TARGET_EXITED);
	target_destroy(t);
}
END_TEST

START_TEST(test_attach_self)
{
	struct target *t;

	ck_assert_err(target_attach(getpid(), TARGET_OBSERVE, 200, &t), ERR_SELF_ATTACH);
}
END_TEST

static void exit_at_once(void)
{
}

START_TEST(test_attach_zombie)
{
	struct target *t;

	child = child_start(exit_at_once);
	ck_assert(child_wait_state(child, 'Z'));
	ck_assert_err(target_attach(child, TARGET_OBSERVE, 200, &t), ERR_TARGET_EXITING);
	ck_assert_err(target_attach(child, TARGET_STOP, 200, &t), ERR_TARGET_EXITING);
}
END_TEST

START_TEST(test_attach_kernel_thread)
{
	struct target *t;
	char comm[32] = "";
	FILE *f = fopen("/proc/2/comm", "r");

	/* In a container, pid 2 is another process. */
	if (f) {
		if (!fgets(comm, sizeof(comm), f))
			comm[0] = '\0';
		fclose(f);
	}
	if (!strcmp(comm, "kthreadd\n"))
		ck_assert_err(target_attach(2, TARGET_OBSERVE, 200, &t), ERR_UNSUPPORTED_ARCHITECTURE);
}
END_TEST

START_TEST(test_attach_traced_process_names_the_tracer)
{
	struct target *t;
	char own[16];
	int status;

	child = child_start(child_sleeper);
	child_wait_ready(1);
	ck_assert_int_eq(ptrace(PTRACE_SEIZE, child, 0, 0), 0);
	ck_assert_int_eq(ptrace(PTRACE_INTERRUPT, child, 0, 0), 0);
	ck_assert_int_eq(waitpid(child, &status, __WALL), child);
	struct error *err = target_attach(child, TARGET_STOP, 200, &t);
	ck_assert(error_is(err, ERR_ALREADY_TRACED));
	snprintf(own, sizeof(own), "%d", getpid());
	ck_assert_str_eq(error_detail_of(err, "tracer_pid"), own);
	ck_assert_str_ne(error_detail_of(err, "tracer"), "(none)");
	ck_assert_ptr_nonnull(strstr(error_hint_text(err), "observe"));
	error_destroy(err);
	/* In observe mode a debugger is no obstacle, and its stop is detected. */
	ck_assert_no_err(target_attach(child, TARGET_OBSERVE, 200, &t));
	ck_assert(target_is_stopped_by_other(t));
	ptrace(PTRACE_DETACH, child, 0, 0);
	ck_assert(child_wait_state(child, 'S'));
	ck_assert(!target_is_stopped_by_other(t));
	target_destroy(t);
}
END_TEST

/* Runs @fn in another process with the user "nobody"; returns its exit status. */
static int as_nobody(int (*fn)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		/* Without root: to init, the test's user has as few rights as the user "nobody". */
		if (getuid() == 0 && (setgid(65534) || setuid(65534)))
			_exit(90);
		_exit(fn());
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static int attach_other_user(void)
{
	struct target *t;
	struct error *err = target_attach(1, TARGET_OBSERVE, 200, &t);

	if (!error_is(err, ERR_PERMISSION_DENIED))
		return 1;
	if (strcmp(error_detail_of(err, "uid"), "0") || !strstr(error_hint_text(err), "root"))
		return 2;
	error_destroy(err);
	err = target_attach(1, TARGET_STOP, 200, &t);
	return error_is(err, ERR_PERMISSION_DENIED) ? 0 : 3;
}

START_TEST(test_attach_process_of_another_user)
{
	ck_assert_int_eq(as_nobody(attach_other_user), 0);
}
END_TEST

static int attach_not_dumpable(void)
{
	struct target *t;
	int ready[2];
	char c = 0;

	if (pipe(ready))
		return 1;
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_DUMPABLE, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(ready[1], &c, 1) == 1)
			pause();
		_exit(0);
	}
	if (read(ready[0], &c, 1) != 1)
		return 2;
	struct error *err = target_attach(pid, TARGET_OBSERVE, 200, &t);
	int rc = !error_is(err, ERR_PERMISSION_DENIED)				? 3
		 : strcmp(error_detail_of(err, "reason"), "it is not dumpable") ? 4
										: 0;
	kill(pid, SIGKILL);
	return rc;
}

START_TEST(test_attach_process_that_is_not_dumpable)
{
	ck_assert_int_eq(as_nobody(attach_not_dumpable), 0);
}
END_TEST

START_TEST(test_attach_names_the_executable)
{
	struct target *t;
	char own[4096];

	child = child_start(child_sleeper);
	child_wait_ready(1);
	ck_assert_no_err(target_attach(child, TARGET_OBSERVE, 123, &t));
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	own[n] = '\0';
	ck_assert_str_eq(target_exe(t), own);
	ck_assert_int_eq(target_pid(t), child);
	ck_assert_uint_eq(target_max_stop_ms(t), 123);
	ck_assert_int_eq(target_mode(t), TARGET_OBSERVE);
	target_destroy(t);
}
END_TEST

START_TEST(test_attach_leaves_a_group_stop_as_it_was)
{
	struct target *t;

	child = child_start(child_sleeper);
	child_wait_ready(1);
	kill(child, SIGSTOP);
	ck_assert(child_wait_state(child, 'T'));
	ck_assert_no_err(target_attach(child, TARGET_STOP, 200, &t));
	target_destroy(t);
	ck_assert(child_wait_state(child, 'T'));
	kill(child, SIGCONT);
	ck_assert(child_wait_state(child, 'S'));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_attach");
	TCase *tc = tcase_create("attach");

	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_attach_no_such_process);
	tcase_add_test(tc, test_attach_thread_id_names_its_process);
	tcase_add_test(tc, test_reopen_after_the_exit);
	tcase_add_test(tc, test_attach_self);
	tcase_add_test(tc, test_attach_zombie);
	tcase_add_test(tc, test_attach_kernel_thread);
	tcase_add_test(tc, test_attach_traced_process_names_the_tracer);
	tcase_add_test(tc, test_attach_process_of_another_user);
	tcase_add_test(tc, test_attach_process_that_is_not_dumpable);
	tcase_add_test(tc, test_attach_names_the_executable);
	tcase_add_test(tc, test_attach_leaves_a_group_stop_as_it_was);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
