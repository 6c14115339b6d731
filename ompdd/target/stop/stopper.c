/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The stopper of a process. It chooses between its two tracers: captures stop a target by a thread of this process,
 * which is faster and leaves no traces; a target that is held, has breakpoints or was launched has an ompdd-tracer.
 */
#include "target/stop/stopper.h"

#include <stdlib.h>
#include <string.h>

#include "target/trace/access.h"
#include "target/stop/live.h"
#include "target/arch/registers.h"
#include "target/stop/tracer.h"

struct process_stopper {
	struct stopper base;
	pid_t pid;
	unsigned limit_ms;
	struct live *live;     /* NULL after stopper_drop_thread() or stopper_quit() */
	struct tracer *tracer; /* NULL: none is needed */
};

static struct process_stopper *stopper_of(struct stopper *s)
{
	return (struct process_stopper *)s;
}

static const struct process_stopper *stopper_of_const(const struct stopper *s)
{
	return (const struct process_stopper *)s;
}

static bool has_tracer(const struct process_stopper *p)
{
	return p->tracer && tracer_is_active(p->tracer);
}

/* Return the backend that stops the process now, or NULL. */
static struct stop_backend *find_backend(const struct process_stopper *p)
{
	return has_tracer(p) ? tracer_backend(p->tracer) : live_backend(p->live);
}

/* Stops */

/* End a tracer that traces nothing any more, unless it has launched the program and still runs. */
static void end_tracer(struct process_stopper *p)
{
	if (p->tracer && !tracer_is_active(p->tracer) &&
	    (!tracer_is_launcher(p->tracer) || tracer_is_lost(p->tracer))) {
		tracer_destroy(p->tracer);
		p->tracer = NULL;
	}
}

/* Stop the process by its own tracer for @budget_ms milliseconds (0: without a limit). */
static struct error *begin_tracer(struct process_stopper *p, unsigned budget_ms)
{
	struct stop_backend *live = live_backend(p->live);
	struct error *err = NULL;

	if (!p->tracer)
		err = tracer_create(p->pid, -1, &p->tracer);
	if (err)
		return err;
	if (live && !live->ops->is_stopped(live))
		live_leave(p->live);
	if (!access_wait_tracer_left(p->pid))
		err = access_tracer(p->pid, p->pid);
	if (!err)
		err = tracer_attach(p->tracer, p->pid, p->limit_ms, budget_ms);
	if (err && !tracer_is_launcher(p->tracer)) {
		tracer_destroy(p->tracer);
		p->tracer = NULL;
	}
	return err;
}

/* A tracer makes a stop without a limit, because breakpoints may be set during it, and all if there is no thread. */
static bool needs_tracer(const struct process_stopper *p, unsigned budget_ms)
{
	return !has_tracer(p) && (!budget_ms || !p->live);
}

static bool process_takes_list(const struct stopper *s, unsigned budget_ms)
{
	const struct process_stopper *p = stopper_of_const(s);

	return !has_tracer(p) && !needs_tracer(p, budget_ms);
}

static struct error *process_stop(struct stopper *s, const struct stop_request *request)
{
	struct process_stopper *p = stopper_of(s);

	if (needs_tracer(p, request->budget_ms)) {
		struct error *err = begin_tracer(p, request->budget_ms);

		if (!p->live || !error_catch(&err, ERR_TRACER_FAILED))
			return err;
	}
	struct stop_backend *b = find_backend(p);
	return b->ops->stop(b, request);
}

static struct error *process_resume(struct stopper *s, int64_t *stopped_us_ret)
{
	struct process_stopper *p = stopper_of(s);
	struct stop_backend *b = find_backend(p);
	struct error *err =
		b ? b->ops->resume(b, stopped_us_ret) : error_create(ERR_NOT_STOPPED, "the target is not stopped");

	end_tracer(p);
	return err;
}

static bool process_is_stopped(const struct stopper *s)
{
	const struct stop_backend *b = find_backend(stopper_of_const(s));

	return b && b->ops->is_stopped(b);
}

static int64_t process_stopped_us(const struct stopper *s)
{
	const struct stop_backend *b = find_backend(stopper_of_const(s));

	return b ? b->ops->stopped_us(b) : 0;
}

bool stopper_is_held(const struct stopper *s)
{
	const struct stop_backend *b = s ? find_backend(stopper_of_const(s)) : NULL;

	return b && b->ops->is_held(b);
}

bool stopper_is_expired(const struct stopper *s)
{
	const struct stop_backend *b = s ? find_backend(stopper_of_const(s)) : NULL;

	return b && b->ops->is_expired(b);
}

void stopper_for_each(struct stopper *s, bool with_registers, stopped_thread_fn fn, void *arg)
{
	struct stop_backend *b = find_backend(stopper_of(s));

	if (b)
		b->ops->for_each(b, with_registers, fn, arg);
}

void stopper_hide(const struct stopper *s, uint64_t addr, void *buf, size_t len)
{
	if (s && stopper_of_const(s)->tracer)
		tracer_hide(stopper_of_const(s)->tracer, addr, buf, len);
}

void stopper_poll(struct stopper *s)
{
	struct process_stopper *p = stopper_of(s);

	if (p && p->tracer)
		tracer_poll(p->tracer);
	if (p && p->live)
		live_poll(p->live);
}

/* Control: breakpoints, steps, events */

static bool process_is_traced(const struct stopper *s)
{
	return has_tracer(stopper_of_const(s));
}

static struct error *process_start_tracer(struct stopper *s)
{
	return begin_tracer(stopper_of(s), 0);
}

static int process_event_fd(const struct stopper *s)
{
	const struct process_stopper *p = stopper_of_const(s);

	return p->tracer ? tracer_fd(p->tracer) : -1;
}

static void convert_message(const struct tracer_message *m, struct target_event *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->tid = m->tid;
	ret->n_lost = m->lost;
	ret->value = (int64_t)m->value;
	switch (m->kind) {
	case TRACER_HIT:
	case TRACER_ASK:
		ret->kind = m->kind == TRACER_HIT ? TARGET_EVENT_HIT : TARGET_EVENT_ASK;
		ret->n_counted = m->n_counted < FILTERS_MAX ? m->n_counted : FILTERS_MAX;
		memcpy(ret->counted, m->counted, sizeof(ret->counted));
		ret->address = m->address;
		ret->noticed_us = m->noticed_us;
		registers_to_target(&m->regs, &ret->registers);
		for (size_t i = 0; i < ARCH_N_ARGUMENTS; i++)
			ret->arguments[i] = ret->registers.value[arch->arguments[i]];
		break;
	case TRACER_THREAD_STARTED:
		ret->kind = TARGET_EVENT_THREAD_STARTED;
		break;
	case TRACER_THREAD_EXITED:
		ret->kind = TARGET_EVENT_THREAD_EXITED;
		break;
	case TRACER_FORKED:
		ret->kind = TARGET_EVENT_FORKED;
		break;
	case TRACER_EXECED:
		ret->kind = TARGET_EVENT_EXECED;
		break;
	default:
		ret->kind = m->error ? TARGET_EVENT_TRACER_LOST : TARGET_EVENT_EXITED;
		break;
	}
}

static bool process_next_event(struct stopper *s, struct target_event *ret)
{
	struct process_stopper *p = stopper_of(s);
	struct tracer_message m;

	if (!p->tracer)
		return false;
	if (tracer_next(p->tracer, &m)) {
		convert_message(&m, ret);
		return true;
	}
	end_tracer(p);
	return false;
}

static struct error *process_plant(struct stopper *s, uint64_t address)
{
	return tracer_plant(stopper_of(s)->tracer, address);
}

static struct error *process_plant_byte(struct stopper *s, uint64_t address, unsigned char byte)
{
	return tracer_plant_byte(stopper_of(s)->tracer, address, byte);
}

static void process_lift(struct stopper *s, uint64_t address)
{
	struct process_stopper *p = stopper_of(s);

	if (p->tracer)
		tracer_lift(p->tracer, address);
}

static struct error *process_plant_if(struct stopper *s, uint64_t address, const struct target_filter *filter)
{
	return tracer_plant_if(stopper_of(s)->tracer, address, filter);
}

static void process_lift_if(struct stopper *s, uint64_t address, uint32_t group)
{
	struct process_stopper *p = stopper_of(s);

	if (p->tracer)
		tracer_lift_if(p->tracer, address, group);
}

static struct error *process_set_word(struct stopper *s, uint64_t address, uint64_t value)
{
	return tracer_set_word(stopper_of(s)->tracer, address, value);
}

static uint64_t process_passed(struct stopper *s, uint32_t group)
{
	struct process_stopper *p = stopper_of(s);

	return has_tracer(p) ? tracer_passed(p->tracer, group) : 0;
}

static bool process_answer(struct stopper *s, pid_t tid, bool counts)
{
	struct process_stopper *p = stopper_of(s);

	return p->tracer && tracer_answer(p->tracer, tid, counts);
}

static struct error *process_park(struct stopper *s, pid_t tid, bool park)
{
	return tracer_park(stopper_of(s)->tracer, tid, park);
}

static struct error *process_step(struct stopper *s, pid_t tid)
{
	return tracer_step(stopper_of(s)->tracer, tid);
}

static const struct stopper_ops process_stopper_ops = {
	.takes_list = process_takes_list,
	.stop = process_stop,
	.resume = process_resume,
	.is_stopped = process_is_stopped,
	.stopped_us = process_stopped_us,
	.is_traced = process_is_traced,
	.start_tracer = process_start_tracer,
	.event_fd = process_event_fd,
	.next_event = process_next_event,
	.plant = process_plant,
	.plant_byte = process_plant_byte,
	.lift = process_lift,
	.plant_if = process_plant_if,
	.lift_if = process_lift_if,
	.set_word = process_set_word,
	.passed = process_passed,
	.answer = process_answer,
	.park = process_park,
	.step = process_step,
};

/* Creation and end */

struct error *stopper_prepare(void)
{
	return live_prepare();
}

bool stopper_quit(void)
{
	return live_quit();
}

struct error *stopper_create(unsigned limit_ms, struct stopper **ret)
{
	struct process_stopper *p = calloc(1, sizeof(*p));

	if (!p)
		return &error_nomem;
	p->base.ops = &process_stopper_ops;
	p->limit_ms = limit_ms;
	*ret = &p->base;
	return NULL;
}

void stopper_destroy(struct stopper *s)
{
	struct process_stopper *p = stopper_of(s);

	if (!p)
		return;
	tracer_destroy(p->tracer);
	live_destroy(p->live);
	free(p);
}

struct error *stopper_launch(struct stopper *s, int block, struct stopper_launch *ret)
{
	struct process_stopper *p = stopper_of(s);
	struct tracer_message m;
	struct error *err = tracer_create(0, block, &p->tracer);

	if (!err)
		err = tracer_launched(p->tracer, &m);
	if (!err)
		*ret = (struct stopper_launch){m.tid, m.error, m.stage};
	return err;
}

bool stopper_has_launched(const struct stopper *s)
{
	const struct process_stopper *p = stopper_of_const(s);

	return p->tracer && tracer_is_launcher(p->tracer);
}

struct error *stopper_keep(struct stopper *s, bool keep)
{
	return tracer_keep(stopper_of(s)->tracer, keep);
}

struct error *stopper_kill(struct stopper *s)
{
	return tracer_kill(stopper_of(s)->tracer);
}

struct error *stopper_attach(struct stopper *s, pid_t pid, int taskfd)
{
	struct process_stopper *p = stopper_of(s);

	p->pid = pid;
	return live_has_quit() ? NULL : live_create(pid, taskfd, &p->live);
}

struct error *stopper_check(struct stopper *s)
{
	struct process_stopper *p = stopper_of(s);
	struct error *err = NULL;

	if (!access_wait_tracer_left(p->pid))
		err = access_tracer(p->pid, p->pid);
	return err || !p->live ? err : live_check(p->live);
}

void stopper_take_tracer(struct stopper *s, struct stopper *from)
{
	stopper_of(s)->tracer = stopper_of(from)->tracer;
	stopper_of(from)->tracer = NULL;
}

void stopper_drop_thread(struct stopper *s)
{
	struct process_stopper *p = stopper_of(s);
	struct stop_backend *live = live_backend(p->live);

	if (!live || live->ops->is_stopped(live))
		return;
	live_destroy(p->live);
	p->live = NULL;
}

struct helper_thread *const *stopper_helper(const struct stopper *s)
{
	const struct live *live = stopper_of_const(s)->live;

	return live ? live_helper(live) : NULL;
}
