/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs the program of a rule, without a shell and with a time limit. */
#ifndef OMPDD_CLI_WATCH_RUN_H
#define OMPDD_CLI_WATCH_RUN_H

#include "connection.h"

struct json_object;

/* Check that @program is an executable file that no other user can change. Fails with ERR_USAGE. */
struct error *run_check(const char *program);

/*
 * Run @program without arguments, with the environment of this process and the variables @env ("NAME=value", ends with
 * NULL), and wait until it has ended. After @limit_s seconds, or when a signal of @signals comes, its process group is
 * killed. Its output goes to our standard error. Returns an object with "exit", "signal", "timed_out" or "interrupted",
 * which the caller owns; NULL: *@failure_ret has the failure.
 */
struct json_object *run_program(const char *program, char *const *env, double limit_s, const struct connection *signals,
				struct error **failure_ret);

/*
 * Wait until @pid, the leader of a process group, has ended, and reap it. After @limit_s seconds, or when a signal of
 * @signals comes, kill the group. Returns whether it has ended by itself.
 */
int run_wait_end(pid_t pid, double limit_s, const struct connection *signals, int *status_ret);

#endif
