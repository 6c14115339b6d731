/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `ompdctl events`, `break`, `step` and `serialize`: what happens, as it happens. */
#ifndef OMPDD_CLI_FOLLOW_H
#define OMPDD_CLI_FOLLOW_H

#include "session.h"
#include "text.h"

/* Prints a piece of output. A reader that has gone is no failure: *@gone_ret is set to 1 then, else left alone. */
typedef struct failure *follow_write(const char *data, size_t len, int *gone_ret);

/* Follow until the target ends, the wanted number has come, or nobody reads any more. */
struct failure *follow(struct session *s, const struct style *style, follow_write *write);

#endif
