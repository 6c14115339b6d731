/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompdctl top: where the time of a running program goes. */
#ifndef OMPDD_CLI_TOP_H
#define OMPDD_CLI_TOP_H

#include "follow.h"

/* --once: watch for a while, and print one screen, or with --json what profile.get says. */
struct failure *top_once(struct session *s, const struct style *style, follow_write *write);

/* Become ompdctl-top, the screen; returns only if that is not there. */
struct failure *top_live(char **argv);

#endif
