/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompdctl page: starts a private ompdd that serves the page to the browser until ^C. */
#ifndef OMPDD_CLI_PAGE_H
#define OMPDD_CLI_PAGE_H

#include "follow.h"
#include "processes.h"

/*
 * Start an ompdd on a free port of this machine and attach it to @processes, or to the core that @args names. Each
 * process is observed; with --mode stop it may also be stopped. Print the page's address, open it if there is a
 * desktop, and wait for ^C. The ompdd ends with this process.
 */
struct error *page_run(struct args *args, const struct processes *processes, follow_write *write);

#endif
