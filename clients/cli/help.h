/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `ompdctl --help`, `ompdctl help COMMAND` and `ompdctl completion SHELL` print, made of the tables in commands.h.
 */
#ifndef OMPDD_CLI_HELP_H
#define OMPDD_CLI_HELP_H

#include "commands.h"
#include "text.h"

/* The hint of whatever is wrong with a command line. */
#define HELP_HINT "ompdctl --help lists the commands and options"

/* All commands and options; at most 80 columns wide. */
void help_show(struct text *out);

/* One command: how it is called, what it does, the options that it takes, examples. */
void help_show_command(const struct command_row *row, struct text *out);

/* The options of group @group in words: "-o and --no-headers"; who takes them: "threads and tasks". */
void help_add_takers(struct text *out, enum option_group group);

/* The completion script for "bash", "zsh" or "fish"; 0 when @shell is none of them. */
int completion_show(const char *shell, struct text *out);

#endif
