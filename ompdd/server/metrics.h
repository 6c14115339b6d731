/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* GET /metrics. */
#ifndef OMPDD_SERVER_METRICS_H
#define OMPDD_SERVER_METRICS_H

#include "base/buf.h"

struct client;
struct server;

/*
 * Append the metrics in Prometheus' text format: of ompdd, and of the targets that @c may use. A
 * target has the same number of series whatever its threads. With @all, those of the node (--metrics-file), too.
 */
MUST_USE struct error *metrics_write(const struct server *s, const struct client *c, bool all, struct buf *out);

#endif
