/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompdctl timeout: a program with a time limit, and what is said of it before it is ended. */
#ifndef OMPDD_CLI_TIMEOUT_H
#define OMPDD_CLI_TIMEOUT_H

#include <signal.h>

#include "args.h"
#include "text.h"

/* Exit codes as of timeout(1). */
#define TIMEOUT_EXIT_OVER    124
#define TIMEOUT_EXIT_FAILED  125
#define TIMEOUT_EXIT_NO_EXEC 126
#define TIMEOUT_EXIT_NO_FILE 127

/*
 * Run args->program until it ends or its time is over, and *@status_ret is what to exit with. @style: of standard
 * error, where all that we say goes. @pipe_before: what SIGPIPE did before main() changed it, for the program. A
 * failure is of ours: TIMEOUT_EXIT_FAILED.
 */
struct failure *timeout_run(const struct args *args, const struct style *style, const struct sigaction *pipe_before,
			    int *status_ret);

#endif
