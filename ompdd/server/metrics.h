/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* GET /metrics. */
#ifndef OMPDD_SERVER_METRICS_H
#define OMPDD_SERVER_METRICS_H

#include "base/buf.h"

struct server;

/* Append the counters in Prometheus' text format. */
MUST_USE struct error *metrics_write(const struct server *s, struct buf *out);

#endif
