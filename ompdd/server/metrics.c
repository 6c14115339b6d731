/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* GET /metrics: the counters in Prometheus' text format. */
#include "server/metrics.h"

#include <inttypes.h>
#include <stdio.h>

#include "server/internal.h"

struct error *metrics_write(const struct server *s, struct buf *out)
{
	const struct session_stats *st = session_stats(s->session);
	char text[2048];

	int n = snprintf(
	    text, sizeof(text),
	    "# TYPE ompdd_connections gauge\n"
	    "ompdd_connections %zu\n"
	    "# TYPE ompdd_connections_total counter\n"
	    "ompdd_connections_total %" PRIu64 "\n"
	    "# TYPE ompdd_connections_refused_total counter\n"
	    "ompdd_connections_refused_total %" PRIu64 "\n"
	    "# TYPE ompdd_targets gauge\n"
	    "ompdd_targets %zu\n"
	    "# TYPE ompdd_requests_pending gauge\n"
	    "ompdd_requests_pending %zu\n"
	    "# TYPE ompdd_requests_total counter\n"
	    "ompdd_requests_total{outcome=\"ok\"} %" PRIu64 "\n"
	    "ompdd_requests_total{outcome=\"error\"} %" PRIu64 "\n"
	    "ompdd_requests_total{outcome=\"cancelled\"} %" PRIu64 "\n"
	    "ompdd_requests_total{outcome=\"timeout\"} %" PRIu64 "\n"
	    "ompdd_requests_total{outcome=\"dropped\"} %" PRIu64 "\n"
	    "# TYPE ompdd_workers_started_total counter\n"
	    "ompdd_workers_started_total %" PRIu64 "\n"
	    "# TYPE ompdd_workers_failed_total counter\n"
	    "ompdd_workers_failed_total %" PRIu64 "\n"
	    "# HELP ompdd_bytes_total bytes from and to clients; of HTTP the bodies of /rpc\n"
	    "# TYPE ompdd_bytes_total counter\n"
	    "ompdd_bytes_total{direction=\"in\"} %" PRIu64 "\n"
	    "ompdd_bytes_total{direction=\"out\"} %" PRIu64 "\n",
	    s->n_connections, s->stats.connections, s->stats.connections_refused,
	    session_count_targets(s->session), session_count_pending(s->session), st->requests_ok,
	    st->requests_error, st->requests_cancelled, st->requests_timeout, st->requests_dropped,
	    st->workers_started, st->workers_failed, s->stats.bytes_in, s->stats.bytes_out);
	return buf_append(out, text, (size_t)n);
}
