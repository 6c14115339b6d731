/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* GET /metrics. */
#ifndef OMPDD_SERVER_METRICS_H
#define OMPDD_SERVER_METRICS_H

#include "base/buf.h"

struct client;
struct server;

/*
 * Append the metrics in Prometheus' text format to @out: those of ompdd, and of the targets that @c may use. The number
 * of series of a target does not depend on its threads. With @all, appends the metrics of the node (--metrics-file),
 * too.
 */
MUST_USE struct error *metrics_write(const struct server *s, const struct client *c, bool all, struct buf *out);

#endif
