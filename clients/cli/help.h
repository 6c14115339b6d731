/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The output of `ompdctl --help`, `ompdctl help COMMAND` and `ompdctl completion SHELL`, generated from the tables
 * in commands.h. */
#ifndef OMPDD_CLI_HELP_H
#define OMPDD_CLI_HELP_H

#include "commands.h"
#include "exit_code.h"
#include "text.h"

/* The hint for any wrong command line. */
#define HELP_HINT "ompdctl --help lists the commands and options"

/* All texts are at most 80 columns wide. Append the overview, which fits 24 lines. */
void help_show(struct buf *out);

/* Return whether `ompdctl help @topic` is the name of a command, "commands" or "options". */
int help_has_topic(const char *topic);

/*
 * Append the help of a topic. "commands": a line for each command. "options": all options, and the exit codes. A
 * command: usage, description, examples, and the options that few commands take.
 */
void help_show_topic(const char *topic, struct buf *out);

/* Append the options of @group ("-o and --no-headers"), or the commands that take them ("threads and tasks"). */
void help_add_takers(struct buf *out, enum option_group group);

/* Append the completion script for "bash", "zsh" or "fish"; returns 0 for any other @shell. */
int completion_show(const char *shell, struct buf *out);

#endif
