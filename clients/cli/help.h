/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The output of `ompdctl --help`, `ompdctl help COMMAND` and `ompdctl completion SHELL`, generated from the tables
 * in commands.h. */
#ifndef OMPDD_CLI_HELP_H
#define OMPDD_CLI_HELP_H

#include "commands.h"
#include "text.h"

/* The hint for any wrong command line. */
#define HELP_HINT "ompdctl --help lists the commands and options"

/* Append the help of all commands and options, at most 80 columns wide. */
void help_show(struct text *out);

/* Append the help of one command: usage, description, options, examples. */
void help_show_command(const struct command_row *row, struct text *out);

/* Append the options of @group ("-o and --no-headers"), or the commands that take them ("threads and tasks"). */
void help_add_takers(struct text *out, enum option_group group);

/* Append the completion script for "bash", "zsh" or "fish"; returns 0 for any other @shell. */
int completion_show(const char *shell, struct text *out);

#endif
