/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompdctl page: an ompdd of its own that serves the page in the browser, for as long as it is wanted. */
#ifndef OMPDD_CLI_PAGE_H
#define OMPDD_CLI_PAGE_H

#include "follow.h"
#include "processes.h"

/*
 * Start an ompdd on a free port of this machine, let it look at @processes (each observed; with --mode stop it may also
 * be stopped) or at the core that @args name, print the page's address, open it where there is a desktop, and wait for
 * ^C. The ompdd ends with us.
 */
struct failure *page_run(struct args *args, const struct processes *processes, follow_write *write);

#endif
