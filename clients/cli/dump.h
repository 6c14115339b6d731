/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompdctl dump: writes a core file of a running process. */
#ifndef OMPDD_CLI_DUMP_H
#define OMPDD_CLI_DUMP_H

#include "follow.h"

/* Write the core of the process s->args->pid, and print a message with @write. After a failure or ^C there is no file.
 */
struct error *dump(struct conversation *s, const struct style *style, follow_write *write);

#endif
