/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `ompdctl break --children`. */
#ifndef OMPDD_CLI_FOLLOW_CHILDREN_H
#define OMPDD_CLI_FOLLOW_CHILDREN_H

#include "follow.h"
#include "processes.h"

/*
 * Set the breakpoints of the command line in each OpenMP process among @roots and the processes that they start. Print
 * the hits with their process, until the requested number has come or all these processes have ended.
 */
struct error *follow_children(const struct args *args, const struct processes *roots, const struct style *style,
			      follow_write *write);

#endif
