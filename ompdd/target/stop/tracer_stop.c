/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tracer as a stop backend: stops, their ends, and the stopped threads. */
#include <errno.h>

#include "base/clock.h"
#include "target/stop/stopper.h"
#include "target/stop/tracer_call.h"

struct error *tracer_stop(struct tracer *t, unsigned budget_ms, unsigned limit_ms)
{
	struct tracer_request r = {.op = TRACER_STOP, .value = limit_ms, .budget_ms = budget_ms};
	struct tracer_message m;

	if (t->stop && !t->stopped_by_hit)
		return error_create(ERR_INTERNAL_ERROR, "the target is stopped already");
	if (t->stopped_by_hit)
		return NULL;
	struct error *err = tracer_call(t, &r, &m);
	if (err)
		return err;
	/* A breakpoint hit has just stopped the target: that stop serves as well. */
	if (m.error == EALREADY && t->stopped_by_hit)
		return NULL;
	if (m.error)
		return tracer_explain(t, &m, limit_ms);
	tracer_take_stop(t, &m, budget_ms);
	return NULL;
}

struct error *tracer_resume(struct tracer *t, int64_t *stopped_us_ret)
{
	struct tracer_request r = {.op = TRACER_RESUME, .value = t->stop};
	struct tracer_message m;

	if (t->stopped_by_hit) {
		*stopped_us_ret = tracer_stopped_us(t);
		return NULL;
	}
	if (!t->stop)
		return error_create(ERR_NOT_STOPPED, "the target is not stopped");
	struct error *err = tracer_call(t, &r, &m);
	if (err)
		return err;
	if (m.error == ESTALE) {
		/* A hit may have started another stop. */
		if (!t->stopped_by_hit)
			t->stop = 0;
		return error_create(ERR_STOP_TIMEOUT, "the time limit of the stop was over; the threads run again");
	}
	if (!t->stopped_by_hit)
		t->stop = 0;
	if (m.error)
		return tracer_explain(t, &m, 0);
	*stopped_us_ret = m.stopped_us;
	return NULL;
}

bool tracer_is_stopped(const struct tracer *t)
{
	return t->stop != 0;
}

int64_t tracer_stopped_us(const struct tracer *t)
{
	return t->stop ? clock_now_us() - t->started_us : 0;
}

bool tracer_is_expired(const struct tracer *t)
{
	return t->stop && t->expires_us && clock_now_us() >= t->expires_us;
}

/* Make sure that the registers are on the board. */
static bool need_registers(struct tracer *t)
{
	struct tracer_request r = {.op = TRACER_REGISTERS};
	struct tracer_message m;

	if (!t->stop || tracer_is_expired(t))
		return false;
	if (t->has_registers)
		return true;
	struct error *err = tracer_call(t, &r, &m);
	if (err || m.error) {
		error_destroy(err);
		return false;
	}
	t->has_registers = true;
	t->n_board = m.n_threads < TARGET_MAX_THREADS ? m.n_threads : TARGET_MAX_THREADS;
	return true;
}

void tracer_for_each(struct tracer *t, bool with_registers, stopped_thread_fn fn, void *arg)
{
	bool have = with_registers && need_registers(t);

	for (size_t i = 0; i < t->n_board; i++)
		fn(t->board[i].tid, have && t->board[i].has_regs ? &t->board[i].regs : NULL, arg);
}

/* Backend operations */

static struct tracer *tracer_of(struct stop_backend *s)
{
	return (struct tracer *)s;
}

static const struct tracer *tracer_of_const(const struct stop_backend *s)
{
	return (const struct tracer *)s;
}

struct stop_backend *tracer_backend(struct tracer *t)
{
	return &t->base;
}

static struct error *backend_stop(struct stop_backend *s, const struct stop_request *request)
{
	return tracer_stop(tracer_of(s), request->budget_ms, request->limit_ms);
}

static struct error *backend_resume(struct stop_backend *s, int64_t *stopped_us_ret)
{
	struct tracer *t = tracer_of(s);

	if (tracer_n_planted(t) || !tracer_is_stopped(t))
		return tracer_resume(t, stopped_us_ret);
	bool expired = tracer_is_expired(t), limited = t->expires_us != 0;
	struct error *err = tracer_release(t, stopped_us_ret);
	/* A tracer that has ended the stop itself reports a duration of 0 us. */
	if (!err && limited && (expired || !*stopped_us_ret))
		return error_create(ERR_STOP_TIMEOUT, "the time limit of the stop was over; the threads run again");
	return err;
}

static bool backend_is_stopped(const struct stop_backend *s)
{
	return tracer_is_stopped(tracer_of_const(s));
}

static bool backend_is_held(const struct stop_backend *s)
{
	const struct tracer *t = tracer_of_const(s);

	return tracer_is_stopped(t) && !t->expires_us;
}

static bool backend_is_expired(const struct stop_backend *s)
{
	return tracer_is_expired(tracer_of_const(s));
}

static int64_t backend_stopped_us(const struct stop_backend *s)
{
	return tracer_stopped_us(tracer_of_const(s));
}

static void backend_for_each(struct stop_backend *s, bool with_registers, stopped_thread_fn fn, void *arg)
{
	tracer_for_each(tracer_of(s), with_registers, fn, arg);
}

const struct stop_backend_ops tracer_backend_ops = {
	.stop = backend_stop,
	.resume = backend_resume,
	.is_stopped = backend_is_stopped,
	.is_held = backend_is_held,
	.is_expired = backend_is_expired,
	.stopped_us = backend_stopped_us,
	.for_each = backend_for_each,
};
