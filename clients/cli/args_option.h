/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The options of the command line, and their values. */
#ifndef OMPDD_CLI_ARGS_OPTION_H
#define OMPDD_CLI_ARGS_OPTION_H

#include "args.h"

/* Store the value of option @c, a code of getopt_long(), whose value is in optarg. */
MUST_USE struct error *args_parse_option(int c, char *const *argv, struct args *args);

/* Parse a whole number from 1 to @max. @option is the option or command that errors name. */
MUST_USE struct error *args_parse_number(const char *option, const char *s, long max, long *ret);

/* Add the pids and names in @list, separated by commas. Changes @list. */
MUST_USE struct error *args_parse_processes(char *list, struct args *args);

#endif
