/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `ompdctl watch`: examines processes again and again, and acts when one fulfils a rule. */
#ifndef OMPDD_CLI_WATCH_WATCH_H
#define OMPDD_CLI_WATCH_WATCH_H

#include "args.h"
#include "follow.h"
#include "processes.h"

/*
 * Watch @processes. An empty list means all OpenMP processes that the filters of @args select. Ends when all given
 * processes have ended, after the time or number of events in @args, or by a signal.
 */
struct error *watch_run(const struct args *args, const struct processes *processes, const struct style *style,
			follow_write *write);

#endif
