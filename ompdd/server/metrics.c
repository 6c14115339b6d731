/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* GET /metrics: counters, histograms and the process's resource usage, in Prometheus' text format. */
#include "server/metrics.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "methods.h"
#include "server/internal.h"
#include "server/own_usage.h"
#include "server/rules.h"

#define FILE_MAX (1 << 20)

/* Writes lines. After an error it keeps the error and writes nothing more. */
struct writer {
	struct buf *out;
	struct error *err;
};

static void write_text(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void write_text(struct writer *w, const char *format, ...)
{
	va_list ap;

	if (w->err)
		return;
	va_start(ap, format);
	w->err = buf_vprintf(w->out, format, ap);
	va_end(ap);
}

static void write_head(struct writer *w, const char *name, const char *type, const char *help)
{
	write_text(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void write_value(struct writer *w, const char *name, const char *type, const char *help, uint64_t value)
{
	write_head(w, name, type, help);
	write_text(w, "%s %" PRIu64 "\n", name, value);
}

static void write_seconds(struct writer *w, const char *name, const char *type, const char *help, double value)
{
	write_head(w, name, type, help);
	write_text(w, "%s %.3f\n", name, value);
}

/* @labels: in the form name="value", or empty. */
static void write_histogram(struct writer *w, const char *name, const char *labels, const struct histogram *h)
{
	const char *comma = *labels ? "," : "";
	const char *open = *labels ? "{" : "", *close = *labels ? "}" : "";
	uint64_t n = 0;

	for (int i = 0; i < HISTOGRAM_N_BOUNDS; i++) {
		n += h->n[i];
		write_text(w, "%s_bucket{%s%sle=\"%g\"} %" PRIu64 "\n", name, labels, comma,
			   (double)histogram_bounds_us[i] / 1e6, n);
	}
	write_text(w, "%s_bucket{%s%sle=\"+Inf\"} %" PRIu64 "\n", name, labels, comma, h->count);
	write_text(w, "%s_sum%s%s%s %" PRIu64 ".%06" PRIu64 "\n", name, open, labels, close, h->sum_us / 1000000,
		   h->sum_us % 1000000);
	write_text(w, "%s_count%s%s%s %" PRIu64 "\n", name, open, labels, close, h->count);
}

static void write_requests(struct writer *w, const struct session_stats *st, size_t pending)
{
	static const char name[] = "ompdd_requests_total";

	write_value(w, "ompdd_requests_pending", "gauge", "Requests that are waiting for a worker or an event.",
		    pending);
	write_head(w, name, "counter", "Requests by outcome; dropped: the client disconnected before the answer.");
	write_text(w, "%s{outcome=\"ok\"} %" PRIu64 "\n", name, st->requests_ok);
	write_text(w, "%s{outcome=\"error\"} %" PRIu64 "\n", name, st->requests_error);
	write_text(w, "%s{outcome=\"cancelled\"} %" PRIu64 "\n", name, st->requests_cancelled);
	write_text(w, "%s{outcome=\"timeout\"} %" PRIu64 "\n", name, st->requests_timeout);
	write_text(w, "%s{outcome=\"dropped\"} %" PRIu64 "\n", name, st->requests_dropped);
	write_head(w, "ompdd_request_duration_seconds", "histogram",
		   "Time from a request to its answer, without waiting requests of event.poll.");
	write_histogram(w, "ompdd_request_duration_seconds", "", &st->request_time);
	write_head(w, "ompdd_stop_duration_seconds", "histogram",
		   "Durations of stops of targets, for a view or held by a client.");
	write_histogram(w, "ompdd_stop_duration_seconds", "", &st->stop_time);
}

static void write_server(struct writer *w, const struct server *s)
{
	const struct session_stats *st = session_stats(s->session);

	write_head(w, "ompdd_build_info", "gauge", "The version of ompdd and of its protocol; always 1.");
	write_text(w, "ompdd_build_info{version=\"%s\",api=\"%s\"} 1\n", OMPDD_VERSION, PROTOCOL_API_VERSION);
	write_value(w, "ompdd_connections", "gauge", "Open connections.", s->n_connections);
	write_value(w, "ompdd_connections_opened_total", "counter", "Connections that were accepted.",
		    s->stats.connections);
	write_value(w, "ompdd_connections_refused_total", "counter", "Connections beyond the limit.",
		    s->stats.connections_refused);
	write_value(w, "ompdd_targets", "gauge", "Targets, of all users.", session_count_targets(s->session));
	write_requests(w, st, session_count_pending(s->session));
	write_value(w, "ompdd_workers_started_total", "counter", "Workers that were started, one for each target.",
		    st->workers_started);
	write_value(w, "ompdd_workers_failed_total", "counter", "Workers that died, or did not answer in time.",
		    st->workers_failed);
	write_head(w, "ompdd_bytes_total", "counter", "Bytes from and to clients; for HTTP, the bodies of /rpc.");
	write_text(w, "ompdd_bytes_total{direction=\"in\"} %" PRIu64 "\n", s->stats.bytes_in);
	write_text(w, "ompdd_bytes_total{direction=\"out\"} %" PRIu64 "\n", s->stats.bytes_out);
}

static void write_rules(struct writer *w, const struct server *s)
{
	if (!s->rules)
		return;
	write_value(w, "ompdd_rules_watched", "gauge", "Whether ompdctl watch runs for the rules: 0 or 1.",
		    rules_are_watched(s->rules));
	write_head(w, "ompdd_rule_actions_total", "counter", "Actions of a rule, by its place in the configuration.");
	for (size_t i = 0; i < s->options->n_rules; i++)
		write_text(w, "ompdd_rule_actions_total{rule=\"%zu\"} %" PRIu64 "\n", i + 1,
			   rules_count_actions(s->rules, i));
	write_head(w, "ompdd_rule_failures_total", "counter", "Those of them with a step that failed.");
	for (size_t i = 0; i < s->options->n_rules; i++)
		write_text(w, "ompdd_rule_failures_total{rule=\"%zu\"} %" PRIu64 "\n", i + 1,
			   rules_count_failures(s->rules, i));
}

/* Names and meanings are the same as in all exporters. */
static void write_process(struct writer *w)
{
	struct own_usage u;

	own_usage_get(&u);
	write_seconds(w, "process_cpu_seconds_total", "counter", "User and system time of ompdd, without its workers.",
		      u.cpu_s);
	if (u.resident_bytes >= 0)
		write_value(w, "process_resident_memory_bytes", "gauge", "Resident memory of ompdd.",
			    (uint64_t)u.resident_bytes);
	if (u.virtual_bytes >= 0)
		write_value(w, "process_virtual_memory_bytes", "gauge", "Address space of ompdd.",
			    (uint64_t)u.virtual_bytes);
	if (u.open_fds >= 0)
		write_value(w, "process_open_fds", "gauge", "Open file descriptors of ompdd.", (uint64_t)u.open_fds);
	if (u.max_fds >= 0)
		write_value(w, "process_max_fds", "gauge", "Limit of open file descriptors of ompdd.",
			    (uint64_t)u.max_fds);
	if (u.started_s > 0)
		write_seconds(w, "process_start_time_seconds", "gauge",
			      "Start time of ompdd, in seconds since the epoch.", u.started_s);
}

static struct error *write_info(const struct session_target_stats *t, void *arg)
{
	struct writer *w = arg;

	write_text(w, "ompdd_target_info{target=\"%s\",mode=\"%s\",pid=\"%d\"} 1\n", t->id, t->mode, (int)t->pid);
	return w->err;
}

static struct error *write_request_time(const struct session_target_stats *t, void *arg)
{
	struct writer *w = arg;
	char label[32];

	snprintf(label, sizeof(label), "target=\"%s\"", t->id);
	write_histogram(w, "ompdd_target_request_duration_seconds", label, t->request_time);
	return w->err;
}

static struct error *write_stop_time(const struct session_target_stats *t, void *arg)
{
	struct writer *w = arg;
	char label[32];

	snprintf(label, sizeof(label), "target=\"%s\"", t->id);
	write_histogram(w, "ompdd_target_stop_duration_seconds", label, t->stop_time);
	return w->err;
}

/* Lines of one family must be adjacent: the format requires it. */
static void write_targets(struct writer *w, const struct client *c)
{
	static const struct {
		const char *name, *type, *help;
		struct error *(*write)(const struct session_target_stats *, void *);
	} families[] = {
		{"ompdd_target_info", "gauge", "A target; always 1.", write_info},
		{"ompdd_target_request_duration_seconds", "histogram",
		 "Time from a request for the target to its worker's answer.", write_request_time},
		{"ompdd_target_stop_duration_seconds", "histogram", "Durations of the target's stops.",
		 write_stop_time},
	};

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]) && !w->err; i++) {
		write_head(w, families[i].name, families[i].type, families[i].help);
		if (!w->err)
			w->err = session_each_target(c, families[i].write, w);
	}
}

/* Skip a missing file, and a file that other users could write: its content cannot be trusted. */
static void write_file(struct writer *w, const char *path)
{
	struct stat st;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > FILE_MAX ||
	    (st.st_uid != 0 && st.st_uid != geteuid()) || st.st_mode & (S_IWGRP | S_IWOTH)) {
		log_debug("metrics-file %s is missing, writable by others, or longer than %d bytes", path, FILE_MAX);
		return;
	}
	for (off_t left = st.st_size; left > 0 && !w->err;) {
		char text[4096];
		ssize_t n = read(fd, text, left < (off_t)sizeof(text) ? (size_t)left : sizeof(text));

		if (n <= 0)
			break;
		left -= n;
		w->err = buf_append(w->out, text, (size_t)n);
	}
}

struct error *metrics_write(const struct server *s, const struct client *c, bool all, struct buf *out)
{
	struct writer w = {.out = out};

	write_server(&w, s);
	write_rules(&w, s);
	write_process(&w);
	write_targets(&w, c);
	if (all && s->options && s->options->metrics_file && !w.err)
		write_file(&w, s->options->metrics_file);
	return w.err;
}
