/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events of a target in the form of protocol/schema/common/definitions.json, event. */
#ifndef OMPDD_METHODS_EVENT_H
#define OMPDD_METHODS_EVENT_H

#include "base/error.h"

struct buf;
struct worker;
struct worker_event;

/*
 * Append the notification of @e, which has just happened in @w, to @out: one text without a line end. A callback for
 * write_event of struct worker.
 */
MUST_USE struct error *event_write(const struct worker *w, const struct worker_event *e, struct buf *out);

#endif
