/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompdctl record: a profile into a file. */
#ifndef OMPDD_CLI_RECORD_H
#define OMPDD_CLI_RECORD_H

#include "follow.h"

/* Record as the command line says, and write the file; what is said of it goes to @write. */
struct failure *record(struct session *s, const struct style *style, follow_write *write);

/* Whether the command line names a format; EXIT_USAGE where it does not. */
struct failure *record_check(const struct args *args);

#endif
