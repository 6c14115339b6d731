/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `ompdctl break`. */
#ifndef OMPDD_CLI_FOLLOW_BREAK_H
#define OMPDD_CLI_FOLLOW_BREAK_H

#include "follower.h"

/* Set the breakpoints of the command line and print their hits, until the requested number has come or no more can
 * come. */
struct error *follow_breakpoints(struct follower *f);

#endif
