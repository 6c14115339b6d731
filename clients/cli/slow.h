/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `ompdctl why --slow`. */
#ifndef OMPDD_CLI_SLOW_H
#define OMPDD_CLI_SLOW_H

#include "conversation.h"
#include "follow.h"

/*
 * Record the target for args->seconds, or three seconds, and write why it is slow, with @write. A signal ends the
 * recording early.
 */
struct error *slow_show(struct conversation *s, const struct style *style, follow_write *write);

#endif
