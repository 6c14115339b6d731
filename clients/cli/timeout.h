/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompdctl timeout: runs a program with a time limit, and reports its state before ending it. */
#ifndef OMPDD_CLI_TIMEOUT_H
#define OMPDD_CLI_TIMEOUT_H

#include <signal.h>

#include "args.h"
#include "text.h"

/* Exit codes as in timeout(1). */
#define TIMEOUT_EXIT_OVER    124
#define TIMEOUT_EXIT_FAILED  125
#define TIMEOUT_EXIT_NO_EXEC 126
#define TIMEOUT_EXIT_NO_FILE 127

/*
 * Run args->program until it exits or its time limit expires; *@status_ret is the exit code to use. @style: of
 * standard error, which gets all our messages. @pipe_before: the action of SIGPIPE before main() changed it, for the
 * program. A failure means that ompdctl itself failed: TIMEOUT_EXIT_FAILED.
 */
struct error *timeout_run(const struct args *args, const struct style *style, const struct sigaction *pipe_before,
			  int *status_ret);

#endif
