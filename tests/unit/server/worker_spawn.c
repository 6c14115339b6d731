/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of starting workers: a shell script in place of ompdd-worker prints how it was started. */
#include "server/worker_spawn.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "scratch.h"

static int ends[2];
static char script[128];

static void write_script(const char *text, mode_t mode)
{
	snprintf(script, sizeof(script), "%s", scratch_path("worker"));
	FILE *f = fopen(script, "we");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	ck_assert_int_eq(chmod(script, mode), 0);
}

static void setup(void)
{
	scratch_setup();
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
}

static void teardown(void)
{
	close(ends[0]);
	scratch_teardown();
}

/* Starts the script and reads all its output. */
static const char *started_as(const struct server_options *o, uid_t uid)
{
	static char text[4096];
	size_t len = 0;
	ssize_t n;
	pid_t pid;
	int status, failed;

	ck_assert_no_err(
		worker_spawn(o, "t3", uid, uid == geteuid() ? getegid() : uid, ends[1], STDERR_FILENO, &pid, &failed));
	close(ends[1]);
	while ((n = read(ends[0], text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_no_err(worker_spawn_failed(o, failed));
	close(failed);
	return text;
}

static const char *started(const struct server_options *o)
{
	return started_as(o, geteuid());
}

START_TEST(test_every_option_is_handed_on)
{
	write_script("#!/bin/sh\nprintf '%s,' \"$@\"\n", 0700);
	const struct server_options few = {.worker = script};
	ck_assert_str_eq(started(&few), "--target,t3,");
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	const struct server_options all = {
		.worker = script,
		.libompd = "/l",
		.plugin_dirs = {"/p1", "/p 2"},
		.n_plugin_dirs = 2,
		.debug_dirs = {"/d"},
		.n_debug_dirs = 1,
		.plugin_timeout_ms = INT64_MAX,
		.worker_memory_mb = 7,
		.worker_cpu_s = 9,
		.core_space_mb = 8,
		.log_level = "debug",
	};
	ck_assert_str_eq(
		started(&all),
		"--target,t3,--plugin-timeout-ms,9223372036854775807,--memory-mb,7,--cpu-s,9,--core-space-mb,8,"
		"--libompd,/l,--plugin-dir,/p1,--plugin-dir,/p 2,--debug-dir,/d,--log-level,debug,");
}
END_TEST

START_TEST(test_as_many_folders_as_may_be)
{
	struct server_options o = {.worker = script,
				   .libompd = "/l",
				   .log_level = "info",
				   .plugin_timeout_ms = 1,
				   .worker_memory_mb = 1,
				   .worker_cpu_s = 1,
				   .core_space_mb = 1};

	write_script("#!/bin/sh\necho $#\n", 0700);
	for (; o.n_plugin_dirs < SERVER_MAX_PLUGIN_DIRS; o.n_plugin_dirs++)
		o.plugin_dirs[o.n_plugin_dirs] = "/p";
	for (; o.n_debug_dirs < SERVER_MAX_DEBUG_DIRS; o.n_debug_dirs++)
		o.debug_dirs[o.n_debug_dirs] = "/d";
	ck_assert_int_eq(atoi(started(&o)), 2 * (7 + SERVER_MAX_PLUGIN_DIRS + SERVER_MAX_DEBUG_DIRS));
}
END_TEST

START_TEST(test_a_signal_of_the_terminal_is_not_for_it)
{
	write_script("#!/bin/sh\nread -r _ _ _ _ group _ < /proc/self/stat\necho $group $$\n", 0700);
	const struct server_options o = {.worker = script};
	int group, pid;

	ck_assert_int_eq(sscanf(started(&o), "%d %d", &group, &pid), 2);
	ck_assert_int_eq(group, pid);
	ck_assert_int_ne(group, (int)getpgrp());
}
END_TEST

START_TEST(test_it_gets_the_limit_that_we_were_started_with)
{
	write_script("#!/bin/sh\nulimit -n\n", 0700);
	const struct server_options o = {.worker = script, .files = {.rlim_cur = 123, .rlim_max = 456}};

	ck_assert_str_eq(started(&o), "123\n");
}
END_TEST

/* Another user's worker gets nothing of the daemon's own: only what a login gets. */
START_TEST(test_another_user_gets_a_login)
{
	write_script("#!/bin/sh\npwd; umask; ulimit -n; ulimit -c; ulimit -l; ulimit -r; nice\n"
		     "cat /proc/self/oom_score_adj; id -u; id -G\n"
		     "read -r _ _ _ _ _ session _ < /proc/self/stat; [ $session = $$ ] && echo alone\n",
		     0755);
	const struct server_options o = {.worker = script, .files = {.rlim_cur = 123, .rlim_max = 4567}};

	if (geteuid() != 0)
		return;
	chmod(scratch_path("."), 0755);
	ck_assert_int_eq(mkdir(scratch_path("mine"), 0700), 0);
	ck_assert_int_eq(chdir(scratch_path("mine")), 0);
	umask(077);
	setpriority(PRIO_PROCESS, 0, -5);
	setrlimit(RLIMIT_RTPRIO, &(struct rlimit){50, 50});
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	bool may = write(fd, "-500", 4) == 4;
	close(fd);
	const char *text = started_as(&o, 65533);
	ck_assert_msg(strstr(text, "/\n0022\n1024\n0\n8192\n0\n0\n") == text, "%s", text);
	/* Some systems do not let root lower its OOM score. */
	ck_assert_msg(strstr(text, may ? "\n0\n65533\n65533\nalone\n" : "\n65533\n65533\nalone\n") != NULL, "%s", text);
}
END_TEST

START_TEST(test_what_cannot_be_started_says_why)
{
	const struct server_options o = {.worker = script};
	pid_t pid;

	write_script("#!/bin/sh\n", 0600);
	for (int i = 0; i < 2; i++) {
		int failed;

		ck_assert_no_err(worker_spawn(&o, "t1", geteuid(), getegid(), ends[1], STDERR_FILENO, &pid, &failed));
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
		ck_assert_err(worker_spawn_failed(&o, failed), ERR_WORKER_FAILED);
		close(failed);
		unlink(script);
	}
	close(ends[1]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("server/worker_spawn");
	TCase *tc = tcase_create("worker_spawn");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_every_option_is_handed_on);
	tcase_add_test(tc, test_as_many_folders_as_may_be);
	tcase_add_test(tc, test_a_signal_of_the_terminal_is_not_for_it);
	tcase_add_test(tc, test_it_gets_the_limit_that_we_were_started_with);
	tcase_add_test(tc, test_another_user_gets_a_login);
	tcase_add_test(tc, test_what_cannot_be_started_says_why);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
