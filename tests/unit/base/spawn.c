/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tests of base/spawn: the program runs, or the error says why not. The program inherits none of our signal settings.
 */
#include "check_main.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/spawn.h"

static void become_shell(const void *arg)
{
	char *argv[] = {(char *)"sh", (char *)"-c", (char *)arg, NULL};
	char *envp[] = {NULL};

	execve("/bin/sh", argv, envp);
}

static void become_nothing(const void *arg)
{
	execve(arg, (char *[]){NULL}, (char *[]){NULL});
}

static void handler(int sig)
{
	(void)sig;
}

static bool is_set_to(int sig, void (*wanted)(int))
{
	struct sigaction action;

	return sigaction(sig, NULL, &action) == 0 && action.sa_handler == wanted;
}

/* A child without exec, because exec resets handlers itself. */
static void look_at_signals(const void *arg)
{
	sigset_t blocked;

	(void)arg;
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	bool fine = is_set_to(SIGTERM, SIG_DFL) && is_set_to(SIGPIPE, SIG_DFL) && is_set_to(SIGHUP, SIG_IGN) &&
		    sigisemptyset(&blocked);
	errno = fine ? ENOEXEC : EINVAL;
}

START_TEST(test_program_runs_in_the_child)
{
	struct spawn s = {.path = "/bin/sh", .code = ERR_WORKER_FAILED, .become = become_shell, .arg = "exit 7"};
	pid_t pid;
	int status;

	ck_assert_no_err(spawn_program(&s, &pid));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 7);
}
END_TEST

START_TEST(test_missing_program_is_an_error_and_leaves_no_child)
{
	struct spawn s = {"/no/such/program", ERR_WORKER_FAILED, "look elsewhere", become_nothing, "/no/such/program"};
	pid_t pid = 4711;
	struct error *err = spawn_program(&s, &pid);

	ck_assert_ptr_nonnull(err);
	ck_assert_str_eq(err->message, "cannot start /no/such/program: No such file or directory");
	ck_assert_str_eq(error_hint_text(err), "look elsewhere");
	ck_assert_err(err, ERR_WORKER_FAILED);
	ck_assert_int_eq(pid, 4711);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}
END_TEST

START_TEST(test_nothing_is_left_of_our_signals)
{
	struct spawn s = {.path = "look", .code = ERR_TRACER_FAILED, .become = look_at_signals};
	sigset_t set, now;
	pid_t pid;

	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTERM, handler);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_SETMASK, &set, NULL);
	struct error *err = spawn_program(&s, &pid);
	ck_assert_ptr_nonnull(err);
	ck_assert_str_eq(err->message, "cannot start look: Exec format error");
	ck_assert_err(err, ERR_TRACER_FAILED);
	/* Our own settings are unchanged. */
	ck_assert(is_set_to(SIGTERM, handler));
	sigprocmask(SIG_SETMASK, NULL, &now);
	ck_assert(sigismember(&now, SIGUSR1) && !sigismember(&now, SIGTERM));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/spawn");
	TCase *tc = tcase_create("spawn_program");

	tcase_add_test(tc, test_program_runs_in_the_child);
	tcase_add_test(tc, test_missing_program_is_an_error_and_leaves_no_child);
	tcase_add_test(tc, test_nothing_is_left_of_our_signals);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
