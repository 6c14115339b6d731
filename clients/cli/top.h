/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompdctl top: shows how a running program spends its time. */
#ifndef OMPDD_CLI_TOP_H
#define OMPDD_CLI_TOP_H

#include "follow.h"

/* --once: sample for a while, and print one screen, or with --json the result of profile.get. */
struct error *top_once(struct conversation *s, const struct style *style, follow_write *write);

/* Replace this process with ompdctl-top, the screen. Returns only if ompdctl-top is not installed. */
struct error *top_live(char **argv);

#endif
