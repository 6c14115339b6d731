/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hits of breakpoints: the stop for each, its report, and questions to the worker whether a hit counts. */
#include "tracer/tracer_hits.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/helper_thread.h"

/* The time limit after which a hit is reported although some threads are in an uninterruptible sleep. */
#define HIT_LIMIT_MS 2000

/*
 * Raise the priority while all threads are stopped, or are about to be. Not while hits pass that do not count:
 * returning from that priority puts this process behind all others, while a thread waits for it.
 */
void tracer_hits_set_hurry(struct tracer *g, bool do_hurry)
{
	if (g->hurries != do_hurry)
		helper_thread_hurry(do_hurry);
	g->hurries = do_hurry;
}

/* Return false if the worker has exited. */
bool tracer_hits_send(const struct tracer_message *m, bool may_drop)
{
	ssize_t n;

	do
		n = send(TRACER_FD_SOCKET, m, sizeof(*m), MSG_NOSIGNAL | (may_drop ? MSG_DONTWAIT : 0));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*m);
}

void tracer_hits_on_event(struct tracee *p, enum tracer_message_kind kind, pid_t tid, uint64_t value)
{
	struct tracer *g = (struct tracer *)p;
	struct tracer_message m = {.kind = kind, .tid = tid, .value = value, .lost = g->lost};

	/* These events may be many, and arrive while the worker does not read. */
	if (tracer_hits_send(&m, true))
		g->lost = 0;
	else
		g->lost++;
}

void tracer_hits_fill_board(struct tracer *g, bool with_regs)
{
	uint32_t n = 0;

	for (size_t i = 0; i < g->tracee.n_threads && n < g->board_max; i++) {
		const struct tracee_thread *t = &g->tracee.threads[i];
		struct tracer_board_thread *b = &g->board[n];

		if (t->other_process || (t->state != TRACEE_STOPPED && t->state != TRACEE_IN_VFORK))
			continue;
		n++;
		b->tid = t->tid;
		b->has_regs = with_regs && t->state == TRACEE_STOPPED && arch_host.read_registers(t->tid, &b->regs);
	}
	g->n_board = n;
}

/* Record a stop of all threads, the first of them stopped since @began_us. */
void tracer_hits_begin_stop(struct tracer *g, uint32_t budget_ms, int64_t began_us)
{
	g->tracee.stop++;
	g->tracee.stopped_at_us = began_us;
	g->resume_at_us = budget_ms ? g->tracee.stopped_at_us + (int64_t)budget_ms * 1000 : 0;
	tracer_hits_fill_board(g, false);
}

/* Return whether the worker has exited: it sends nothing else while it waits for a reply. */
bool tracer_hits_is_alone(struct tracee *p)
{
	struct pollfd fd = {.fd = TRACER_FD_SOCKET, .events = POLLIN};

	(void)p;
	return poll(&fd, 1, 0) > 0;
}

void tracer_hits_report_end(struct tracer *g)
{
	struct tracee *p = &g->tracee;
	struct tracer_message m = {.lost = g->lost, .tid = p->pid};

	if (p->execed) {
		m.kind = TRACER_EXECED;
		tracer_hits_send(&m, false);
		tracee_release(p);
	}
	if (p->exited && !g->exit_reported) {
		g->exit_reported = true;
		m.kind = TRACER_EXITED;
		m.value = (uint64_t)(int64_t)p->exit_status;
		tracer_hits_send(&m, false);
		tracee_release(p);
	}
}

static void set_counted(struct tracer_message *m, const struct tracee_thread *t)
{
	m->n_counted = t->n_counted;
	memcpy(m->counted, t->counted, sizeof(m->counted));
}

/* Report the hit of @t after all threads have stopped. */
void tracer_hits_report(struct tracer *g, struct tracee_thread *t, int64_t noticed_us)
{
	struct tracee *p = &g->tracee;
	struct tracer_message m = {
		.kind = TRACER_HIT,
		.tid = t->tid,
		.address = t->reported,
		.noticed_us = noticed_us,
		.lost = g->lost,
	};

	tracer_hits_begin_stop(g, 0, noticed_us);
	set_counted(&m, t);
	t->verdict = TRACEE_UNFILTERED;
	arch_host.read_registers(m.tid, &m.regs);
	m.stop = p->stop;
	m.n_threads = g->n_board;
	g->lost = 0;
	tracer_hits_send(&m, false);
}

/* End a stop whose requester does not need it any more. */
void tracer_hits_end_stop(struct tracer *g)
{
	struct tracee_thread *t = tracee_next_trapped(&g->tracee);

	if (t)
		tracer_hits_report(g, t, clock_now_us());
	else
		tracee_resume(&g->tracee);
}

/*
 * @t has hit a breakpoint, and the others run: stop all and report it or, if it does not count, resume it past the
 * breakpoint.
 */
void tracer_hits_stop_for(struct tracer *g, struct tracee_thread *t)
{
	int64_t noticed_us = clock_now_us();
	struct tracee *p = &g->tracee;
	pid_t tid = t->tid, slow;
	bool counts = t->verdict != TRACEE_PASS;

	tracer_hits_set_hurry(g, true);
	tracee_reach_stop(p, HIT_LIMIT_MS, &slow);
	if (p->execed || p->exited)
		return;
	/* The stop may have moved the thread in the table, or the thread has exited. */
	t = tracee_find(p, tid);
	const struct tracee_planted *at = t ? tracee_planted_at(p, t->reported) : NULL;
	if (counts && at && at->wanted && t->state == TRACEE_STOPPED && !t->other_process) {
		tracer_hits_report(g, t, noticed_us);
		/*
		 * Examining many threads takes a good part of the stop's time, and the next request is read after it.
		 */
		tracee_examine(p);
		return;
	}
	tracee_examine(p);
	t = tracee_find(p, tid);
	/*
	 * The thread has not been scheduled since it hit the breakpoint. Its hit is reported, or resumed, when it is.
	 */
	if (t && t->state == TRACEE_RUNNING) {
		t->trapped = t->reported;
		t->reported = 0;
	}
	tracer_hits_end_stop(g);
}

/* Ask the worker whether @t counts while the others run: @t waits like a thread whose hit is not reported yet. */
static bool ask_worker(struct tracer *g, struct tracee_thread *t)
{
	struct tracer_message m = {.kind = TRACER_ASK, .tid = t->tid, .address = t->reported, .lost = g->lost};

	set_counted(&m, t);
	if (!arch_host.read_registers(m.tid, &m.regs) || !tracer_hits_send(&m, true))
		return false;
	g->lost = 0;
	g->has_asked = true;
	t->asked_us = clock_now_us();
	t->trapped = t->reported;
	t->reported = 0;
	return true;
}

/* Handle the hit of @t while the process runs. */
static void on_hit(struct tracer *g, struct tracee_thread *t)
{
	const struct tracee_planted *at = tracee_planted_at(&g->tracee, t->reported);

	if (!t->verdict)
		t->verdict = at && at->wanted && !t->other_process ? tracee_filter(&g->tracee, t, at) : TRACEE_REPORT;
	if ((t->verdict == TRACEE_PASS && tracee_pass_by(&g->tracee, t)) ||
	    (t->verdict == TRACEE_ASK && ask_worker(g, t)))
		return;
	tracer_hits_stop_for(g, t);
}

/* Process the worker's answer about @t, if @t still waits for it. */
bool tracer_hits_take_verdict(struct tracer *g, struct tracee_thread *t, bool counts)
{
	if (!t || !t->asked_us || g->tracee.mode != TRACEE_RUNS || t->state != TRACEE_STOPPED)
		return false;
	t->asked_us = 0;
	t->verdict = counts ? TRACEE_REPORT : TRACEE_PASS;
	t->reported = t->trapped;
	t->trapped = 0;
	return true;
}

/* Count a thread that has waited too long for the answer as a hit. */
void tracer_hits_end_requests(struct tracer *g)
{
	struct tracee *p = &g->tracee;
	bool any = false;

	for (size_t i = 0; g->has_asked && i < p->n_threads && p->mode == TRACEE_RUNS; i++) {
		struct tracee_thread *t = &p->threads[i];

		if (!t->asked_us)
			continue;
		any = true;
		if (clock_now_us() - t->asked_us >= TRACER_ASK_MS * 1000 && tracer_hits_take_verdict(g, t, true)) {
			tracer_hits_stop_for(g, t);
			return;
		}
	}
	g->has_asked = any;
}

void tracer_hits_poll(struct tracer *g)
{
	struct tracee_thread *t;

	while ((t = tracee_reap(&g->tracee)))
		on_hit(g, t);
	tracer_hits_report_end(g);
}
