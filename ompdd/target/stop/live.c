/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Uses ptrace for the duration of a stop, in a helper thread (base/helper_thread). The stop has a time limit: a timer
 * sends a signal to that thread, whose handler (live_release.c) detaches every thread. The caller that should resume
 * may hang in a plugin, or in a read that the stopped process would have to serve.
 */
#include "target/stop/live.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "base/clock.h"
#include "base/helper_thread.h"
#include "target/stop/live_release.h"
#include "target/stop/live_stop.h"
#include "target/stop/live_thread.h"
#include "target/stop/stopper.h"
#include "target/trace/access.h"
#include "target/arch/thread.h"

/* Time to detach a thread: the release of many threads starts this much earlier, to meet the limit of their stop. */
#define RELEASE_EACH_US 2

static const struct stop_backend_ops live_ops;

static void free_live(struct live *l)
{
	free(l->registers);
	free(l->has_registers);
	free(l->threads);
	free(l);
}

static struct live *live_of(struct stop_backend *s)
{
	return (struct live *)s;
}

static const struct live *live_of_const(const struct stop_backend *s)
{
	return (const struct live *)s;
}

struct stop_backend *live_backend(struct live *l)
{
	return l ? &l->base : NULL;
}

struct helper_thread *const *live_helper(const struct live *l)
{
	return &l->helper;
}

struct error *live_create(pid_t pid, int taskfd, struct live **ret)
{
	struct live *l = calloc(1, sizeof(*l));
	sigset_t set;

	if (!l)
		return &error_nomem;
	l->base.ops = &live_ops;
	l->pid = pid;
	l->taskfd = taskfd;
	l->retry_ms = LIVE_RETRY_MS;
	/* A directory has two links; /proc adds one for each thread. */
	l->links_base = 2;
	l->threads = calloc(TARGET_MAX_THREADS, sizeof(*l->threads));
	/* No SA_RESTART: the handler must be able to end a wait. */
	struct sigaction sa = {.sa_handler = live_on_tick};
	sigfillset(&sa.sa_mask);
	sigaction(live_tick_signal(), &sa, NULL);
	sigemptyset(&set);
	sigaddset(&set, live_tick_signal());
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	struct error *err = l->threads ? live_thread_begin(l) : &error_nomem;
	if (err) {
		free_live(l);
		return err;
	}
	*ret = l;
	return NULL;
}

/* A request to the thread, and its result. */
struct call {
	struct live *l;
	const struct stop_request *request;
	bool ended;
	struct error *err;
};

/* The kernel knows no tracee of this name: ESRCH. A filter of system calls returns another error. */
static void on_check(void *arg)
{
	struct call *c = arg;

	if (ptrace(PTRACE_INTERRUPT, helper_thread_tid(c->l->helper), NULL, NULL) < 0 && errno != ESRCH)
		c->err = access_explain(c->l->pid, errno, "trace");
}

struct error *live_check(struct live *l)
{
	struct call c = {.l = l};

	helper_thread_run(l->helper, on_check, &c);
	return c.err;
}

static void on_leave(void *arg)
{
	live_let_all_go(arg);
}

void live_leave(struct live *l)
{
	helper_thread_run(l->helper, on_leave, l);
	live_thread_drop_stragglers(l);
}

void live_destroy(struct live *l)
{
	if (!l)
		return;
	l->phase = LIVE_IDLE;
	live_leave(l);
	live_thread_end(l);
	free_live(l);
}

/* Allocate space for the registers of all stopped threads. */
static bool reserve_registers(struct live *l)
{
	size_t cap = (size_t)l->n;

	if (cap <= l->cap_registers)
		return true;
	struct arch_registers *registers = realloc(l->registers, cap * sizeof(*registers));
	if (registers)
		l->registers = registers;
	bool *has = realloc(l->has_registers, cap * sizeof(*has));
	if (has)
		l->has_registers = has;
	if (!registers || !has)
		return false;
	l->cap_registers = cap;
	return true;
}

static void save_registers(struct live *l)
{
	if (!reserve_registers(l))
		return;
	for (sig_atomic_t i = 0; i < l->n; i++)
		l->has_registers[i] = l->threads[i].state == LIVE_STOPPED && !l->expired &&
				      arch_host.read_registers(l->threads[i].tid, &l->registers[i]);
	l->n_registers = (size_t)l->n;
}

static void on_registers(void *arg)
{
	save_registers(arg);
}

/* Return the duration of a stop of @n threads that takes @limit_ms including its release. */
static int64_t without_release_us(unsigned limit_ms, size_t n)
{
	int64_t limit_us = (int64_t)limit_ms * 1000, release_us = (int64_t)n * RELEASE_EACH_US;

	return limit_us - (release_us < limit_us / 2 ? release_us : limit_us / 2);
}

static void on_stop(void *arg)
{
	struct call *c = arg;
	const struct stop_request *request = c->request;
	struct live *l = c->l;

	/* Reap threads that were killed during the last stop. */
	live_let_all_go(l);
	helper_thread_hurry(true);
	l->started_us = clock_now_us();
	l->zombies = 0;
	l->expired = 0;
	l->exec_seen = 0;
	l->n_registers = 0;
	l->deadline_us = l->started_us + without_release_us(request->limit_ms, request->n);
	l->phase = LIVE_STOPPING;
	live_arm(l, request->limit_ms < LIVE_REAP_MS ? request->limit_ms : LIVE_REAP_MS);
	c->err = live_stop_all(l, request);
	if (!c->err && l->expired)
		c->err = live_stop_timeout(l, request->limit_ms);
	if (!c->err && l->exec_seen)
		c->err = error_create(ERR_TARGET_EXEC, "process %d replaced its program", l->pid);
	if (c->err) {
		l->phase = LIVE_IDLE;
		live_let_all_go(l);
		helper_thread_hurry(false);
		return;
	}
	/* A late tick of an earlier stop sees the new deadline and does nothing. */
	l->deadline_us =
		request->budget_ms ? l->started_us + without_release_us(request->budget_ms, (size_t)l->n) : INT64_MAX;
	l->phase = LIVE_HOLDING;
	int64_t left_us = l->deadline_us - clock_now_us();
	live_arm(l, !request->budget_ms ? 0 : left_us > 0 ? (unsigned)(left_us / 1000) + 1 : 1);
}

static struct error *live_stop(struct stop_backend *s, const struct stop_request *request)
{
	struct live *l = live_of(s);
	struct call c = {.l = l, .request = request};

	if (l->phase == LIVE_HOLDING)
		return error_create(ERR_INTERNAL_ERROR, "the target is stopped already");
	helper_thread_run(l->helper, on_stop, &c);
	if (c.err)
		live_thread_drop_stragglers(l);
	/* Runs while the caller reads memory. */
	if (!c.err && request->with_registers)
		helper_thread_begin(l->helper, on_registers, l);
	return c.err;
}

static void on_resume(void *arg)
{
	struct call *c = arg;

	if (!c->l->expired)
		live_let_all_go(c->l);
	c->l->phase = LIVE_IDLE;
	helper_thread_hurry(false);
}

static struct error *live_resume(struct stop_backend *s, int64_t *stopped_us_ret)
{
	struct live *l = live_of(s);
	struct call c = {.l = l};

	if (l->phase != LIVE_HOLDING)
		return error_create(ERR_NOT_STOPPED, "the target is not stopped");
	helper_thread_run(l->helper, on_resume, &c);
	*stopped_us_ret = l->ended_us - l->started_us;
	if (l->expired)
		return error_create(ERR_STOP_TIMEOUT, "the time limit of the stop was over; the threads run again");
	return NULL;
}

static bool live_is_stopped(const struct stop_backend *s)
{
	return live_of_const(s)->phase == LIVE_HOLDING;
}

static bool live_is_held(const struct stop_backend *s)
{
	const struct live *l = live_of_const(s);

	return l->phase == LIVE_HOLDING && l->deadline_us == INT64_MAX;
}

static bool live_is_expired(const struct stop_backend *s)
{
	const struct live *l = live_of_const(s);

	return l->phase == LIVE_HOLDING && l->expired;
}

static int64_t live_stopped_us(const struct stop_backend *s)
{
	const struct live *l = live_of_const(s);

	return l->phase == LIVE_HOLDING ? clock_now_us() - l->started_us : 0;
}

static void live_for_each(struct stop_backend *s, bool with_registers, stopped_thread_fn fn, void *arg)
{
	struct live *l = live_of(s);

	helper_thread_await(l->helper);
	if (with_registers && !l->n_registers && l->phase == LIVE_HOLDING && !l->expired)
		helper_thread_run(l->helper, on_registers, l);
	for (sig_atomic_t i = 0; i < l->n; i++) {
		bool has = with_registers && (size_t)i < l->n_registers && l->has_registers[i];

		if (l->threads[i].state == LIVE_STOPPED)
			fn(l->threads[i].tid, has ? &l->registers[i] : NULL, arg);
	}
}

static const struct stop_backend_ops live_ops = {
	.stop = live_stop,
	.resume = live_resume,
	.is_stopped = live_is_stopped,
	.is_held = live_is_held,
	.is_expired = live_is_expired,
	.stopped_us = live_stopped_us,
	.for_each = live_for_each,
};

static void on_poll(void *arg)
{
	struct call *c = arg;
	struct live *l = c->l;

	if (l->phase == LIVE_HOLDING && !l->expired) {
		live_mask_tick(SIG_BLOCK);
		/* A thread that is killed after its stop reports a second time: reap it. */
		live_reap(l);
		c->ended = !live_any_stopped(l);
		live_mask_tick(SIG_UNBLOCK);
	}
	if (l->phase == LIVE_HOLDING && !c->ended)
		return;
	l->phase = LIVE_IDLE;
	live_let_all_go(l);
	helper_thread_hurry(false);
}

bool live_poll(struct live *l)
{
	struct call c = {.l = l};

	/* Between stops the table is usually empty. */
	if (l->phase != LIVE_HOLDING && !l->n)
		return false;
	helper_thread_run(l->helper, on_poll, &c);
	return c.ended;
}
