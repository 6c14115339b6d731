/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `ompdctl events` and `ompdctl break`: what happens, as it happens. Called by main(). */
#ifndef OMPDD_CLI_FOLLOW_H
#define OMPDD_CLI_FOLLOW_H

#include "session.h"
#include "text.h"

/*
 * Follow until the target ends, the wanted number has come, or nobody reads any more. @write prints a piece of output; a reader
 * that has gone is no failure of it.
 */
struct failure *follow(struct session *s, const struct style *style,
		       struct failure *(*write)(const char *data, size_t len));

#endif
