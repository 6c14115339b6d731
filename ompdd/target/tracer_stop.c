/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tracer as a stopper: stops, their ends, and the stopped threads. */
#include <errno.h>

#include "base/clock.h"
#include "target/tracer_ask.h"

struct error *tracer_stop(struct tracer *t, unsigned budget_ms, unsigned limit_ms)
{
	struct tracer_request r = {.op = TRACER_STOP, .value = limit_ms, .budget_ms = budget_ms};
	struct tracer_message m;

	if (t->stop && !t->stopped_by_hit)
		return error_create(ERR_INTERNAL_ERROR, "the target is stopped already");
	if (t->stopped_by_hit)
		return NULL;
	struct error *err = tracer_ask(t, &r, &m);
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
	struct error *err = tracer_ask(t, &r, &m);
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
	struct error *err = tracer_ask(t, &r, &m);
	if (err || m.error) {
		error_destroy(err);
		return false;
	}
	t->has_registers = true;
	t->n_board = m.n_threads < TARGET_MAX_THREADS ? m.n_threads : TARGET_MAX_THREADS;
	return true;
}

void tracer_for_each(struct tracer *t, bool with_registers, standing_fn fn, void *arg)
{
	bool have = with_registers && need_registers(t);

	for (size_t i = 0; i < t->n_board; i++)
		fn(t->board[i].tid, have && t->board[i].has_regs ? &t->board[i].regs : NULL, arg);
}

/* Stopper operations */

static struct tracer *tracer_of(struct stopper *s)
{
	return (struct tracer *)s;
}

static const struct tracer *tracer_of_const(const struct stopper *s)
{
	return (const struct tracer *)s;
}

struct stopper *tracer_stopper(struct tracer *t)
{
	return &t->base;
}

static struct error *stop(struct stopper *s, const struct stopper_wish *wish)
{
	return tracer_stop(tracer_of(s), wish->budget_ms, wish->limit_ms);
}

static struct error *resume(struct stopper *s, int64_t *stopped_us_ret)
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

static bool is_stopped(const struct stopper *s)
{
	return tracer_is_stopped(tracer_of_const(s));
}

static bool is_held(const struct stopper *s)
{
	const struct tracer *t = tracer_of_const(s);

	return tracer_is_stopped(t) && !t->expires_us;
}

static bool is_expired(const struct stopper *s)
{
	return tracer_is_expired(tracer_of_const(s));
}

static int64_t stopped_us(const struct stopper *s)
{
	return tracer_stopped_us(tracer_of_const(s));
}

static void for_each(struct stopper *s, bool with_registers, standing_fn fn, void *arg)
{
	tracer_for_each(tracer_of(s), with_registers, fn, arg);
}

const struct stopper_ops tracer_stopper_ops = {
	.stop = stop,
	.resume = resume,
	.is_stopped = is_stopped,
	.is_held = is_held,
	.is_expired = is_expired,
	.stopped_us = stopped_us,
	.for_each = for_each,
};
