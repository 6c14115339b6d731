/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Part of args.c: checks of a command line that was parsed. Errors are ERR_USAGE; their hint is a correct command
 * line. */
#ifndef OMPDD_CLI_ARGS_CHECK_H
#define OMPDD_CLI_ARGS_CHECK_H

#include "args.h"

/* Check that the arguments and options fit the command. @left are the @n_left words that the command does not take. */
struct error *args_check(const struct args *args, int n_left, char **left);

/* Check that the command takes all given options; @given are the codes of the @n_given options. */
struct error *args_check_groups(const struct args *args, const int *given, size_t n_given);

#endif
