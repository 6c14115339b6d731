/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Part of args.c: what is wrong with a command line that could be parsed. EXIT_USAGE, with what to type instead. */
#ifndef OMPDD_CLI_ARGS_CHECK_H
#define OMPDD_CLI_ARGS_CHECK_H

#include "args.h"

/* What the command lacks, or does not go with it; @left are the @n_left words that it does not take. */
struct failure *args_check(const struct args *args, int n_left, char **left);

/* Options that the command does not take; @given are the codes of the @n_given that were met. */
struct failure *args_check_groups(const struct args *args, const int *given, size_t n_given);

#endif
