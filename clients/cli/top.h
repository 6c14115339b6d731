/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompdctl top: shows how a running program spends its time. */
#ifndef OMPDD_CLI_TOP_H
#define OMPDD_CLI_TOP_H

#include "follow.h"
#include "processes.h"

/*
 * --once: sample @processes, or args->target, for a while, and print one screen, or with --json the result of
 * profile.get. With --children: one for each process.
 */
struct error *top_once(const struct args *args, const struct processes *processes, const struct style *style,
		       follow_write *write);

/* Replace this process with ompdctl-top, the screen. Returns only if ompdctl-top is not installed. */
struct error *top_live(char **argv);

#endif
