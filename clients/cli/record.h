/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompdctl record: writes a profile to a file. */
#ifndef OMPDD_CLI_RECORD_H
#define OMPDD_CLI_RECORD_H

#include "follow.h"
#include "processes.h"

/* Record @processes, or args->target, as the command line requests, write the file, and print messages with @write. */
struct error *record(const struct args *args, const struct processes *processes, const struct style *style,
		     follow_write *write);

/* Check that the command line names a format; fails with ERR_USAGE otherwise. */
struct error *record_check(const struct args *args);

#endif
