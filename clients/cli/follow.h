/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `ompdctl events`, `break`, `step` and `serialize`: print events as they happen. */
#ifndef OMPDD_CLI_FOLLOW_H
#define OMPDD_CLI_FOLLOW_H

#include "conversation.h"
#include "text.h"

/* Prints a piece of output. A reader that has exited is not a failure: then *@gone_ret is set to 1, otherwise it is
 * not changed. */
typedef struct error *follow_write(const char *data, size_t len, int *gone_ret);

/* Follow the target until it ends, the requested number has been printed, or the output's reader has exited. */
struct error *follow(struct conversation *s, const struct style *style, follow_write *write);

#endif
