/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The tracer of a target that is held, has breakpoints or was launched: its creation and end. Captures of other targets
 * stop them without a tracer (live.c), which is faster and leaves no traces.
 */
#include "target/control.h"

#include <string.h>

#include "target/access.h"
#include "target/control_ops.h"
#include "target/live.h"
#include "target/registers.h"
#include "target/sandbox.h"
#include "target/tracer.h"

static const struct process *process_or_null(const struct target *t)
{
	return t->ops == &process_ops ? process_of_const(t) : NULL;
}

struct error *control_begin_stop(struct process *p, unsigned budget_ms)
{
	if (!p->tracer) {
		struct error *err = tracer_create(p->base.pid, -1, &p->tracer);

		if (err)
			return err;
	}
	struct error *err = NULL;
	struct stopper *live = live_stopper(p->live);
	if (live && !live->ops->is_stopped(live))
		live_leave(p->live);
	if (!access_wait_tracer_left(p->base.pid))
		err = access_tracer(p->base.pid, p->base.pid);
	if (!err)
		err = tracer_attach(p->tracer, p->base.pid, p->base.max_stop_ms, budget_ms);
	if (err && !tracer_is_launcher(p->tracer)) {
		tracer_destroy(p->tracer);
		p->tracer = NULL;
	}
	return err;
}

void control_end(struct process *p)
{
	/* End a tracer that has released its target, unless it has launched that. */
	if (p->tracer && !tracer_is_active(p->tracer) &&
	    (!tracer_is_launcher(p->tracer) || tracer_is_lost(p->tracer))) {
		tracer_destroy(p->tracer);
		p->tracer = NULL;
	}
}

static int process_event_fd(const struct target *t)
{
	const struct process *p = process_of_const(t);

	return p->tracer ? tracer_fd(p->tracer) : -1;
}

static void from_message(const struct tracer_message *m, struct target_event *ret)
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

static bool process_next_event(struct target *t, struct target_event *ret)
{
	struct process *p = process_of(t);
	struct tracer_message m;

	if (!p->tracer)
		return false;
	if (tracer_next(p->tracer, &m)) {
		from_message(&m, ret);
		return true;
	}
	control_end(p);
	return false;
}

static struct error *process_change_begin(struct target *t, bool *held_ret)
{
	struct process *p = process_of(t);
	bool traced = p->tracer && tracer_is_active(p->tracer);
	*held_ret = target_is_stopped(t);
	if (*held_ret && traced)
		return NULL;
	if (*held_ret)
		return error_create(ERR_TRACER_FAILED, "the target is held stopped without a tracer, as none "
						       "could be started");
	return traced ? t->ops->stop(t, 0) : control_begin_stop(p, 0);
}

static struct error *process_change_end(struct target *t, bool held)
{
	struct process *p = process_of(t);
	int64_t us;

	/* If a breakpoint hit caused the stop, a resume by the tracer's client would end it. */
	return held || !p->tracer || !tracer_is_active(p->tracer) ? NULL : t->ops->resume(t, &us);
}

static struct error *process_plant(struct target *t, uint64_t address)
{
	return tracer_plant(process_of(t)->tracer, address);
}

static struct error *process_plant_byte(struct target *t, uint64_t address, unsigned char byte)
{
	return tracer_plant_byte(process_of(t)->tracer, address, byte);
}

static void process_lift(struct target *t, uint64_t address)
{
	struct process *p = process_of(t);

	if (p->tracer)
		tracer_lift(p->tracer, address);
}

static struct error *process_plant_if(struct target *t, uint64_t address, const struct target_filter *filter)
{
	return tracer_plant_if(process_of(t)->tracer, address, filter);
}

static void process_lift_if(struct target *t, uint64_t address, uint32_t group)
{
	struct process *p = process_of(t);

	if (p->tracer)
		tracer_lift_if(p->tracer, address, group);
}

static struct error *process_set_word(struct target *t, uint64_t address, uint64_t value)
{
	return tracer_set_word(process_of(t)->tracer, address, value);
}

static uint64_t process_passed(struct target *t, uint32_t group)
{
	struct process *p = process_of(t);

	return p->tracer && tracer_is_active(p->tracer) ? tracer_passed(p->tracer, group) : 0;
}

static bool process_answer(struct target *t, pid_t tid, bool counts)
{
	struct process *p = process_of(t);

	return p->tracer && tracer_answer(p->tracer, tid, counts);
}

static struct error *process_park(struct target *t, pid_t tid, bool park)
{
	return tracer_park(process_of(t)->tracer, tid, park);
}

static struct error *process_step(struct target *t, pid_t tid)
{
	return tracer_step(process_of(t)->tracer, tid);
}

const struct target_control_ops process_control_ops = {
	.event_fd = process_event_fd,
	.next_event = process_next_event,
	.change_begin = process_change_begin,
	.change_end = process_change_end,
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

struct error *target_quit_thread(struct target *t)
{
	struct process *p = t->ops == &process_ops ? process_of(t) : NULL;

	if (!sandbox_is_entered())
		return NULL;
	if (p && p->live && !live_stopper(p->live)->ops->is_stopped(live_stopper(p->live))) {
		thread_texts_deinit(&p->texts);
		live_destroy(p->live);
		p->live = NULL;
	}
	if (!live_quit())
		return error_create(ERR_INTERNAL_ERROR, "the thread that traces the target has not ended");
	return sandbox_is_closed() ? NULL
				   : error_create(ERR_INTERNAL_ERROR, "a thread of the worker is not in the sandbox");
}

/* Functions for all targets */

int target_event_fd(const struct target *t)
{
	return t->ops->control ? t->ops->control->event_fd(t) : -1;
}

bool target_next_event(struct target *t, struct target_event *ret)
{
	return t->ops->control && t->ops->control->next_event(t, ret);
}

struct error *target_change_begin(struct target *t, bool *held_ret)
{
	if (!t->ops->control || t->mode != TARGET_STOP)
		return error_create(ERR_MODE_UNSUPPORTED, "only a process in mode \"stop\" can be controlled");
	return t->ops->control->change_begin(t, held_ret);
}

struct error *target_change_end(struct target *t, bool held)
{
	return t->ops->control->change_end(t, held);
}

struct error *target_plant(struct target *t, uint64_t address)
{
	return t->ops->control->plant(t, address);
}

struct error *target_plant_byte(struct target *t, uint64_t address, unsigned char byte)
{
	return t->ops->control->plant_byte(t, address, byte);
}

void target_lift(struct target *t, uint64_t address)
{
	t->ops->control->lift(t, address);
}

struct error *target_plant_if(struct target *t, uint64_t address, const struct target_filter *filter)
{
	return t->ops->control->plant_if(t, address, filter);
}

void target_lift_if(struct target *t, uint64_t address, uint32_t group)
{
	t->ops->control->lift_if(t, address, group);
}

struct error *target_set_word(struct target *t, uint64_t address, uint64_t value)
{
	return t->ops->control->set_word(t, address, value);
}

uint64_t target_passed(struct target *t, uint32_t group)
{
	return t->ops->control ? t->ops->control->passed(t, group) : 0;
}

bool target_answer(struct target *t, pid_t tid, bool counts)
{
	return t->ops->control->answer(t, tid, counts);
}

struct error *target_park(struct target *t, pid_t tid, bool park)
{
	return t->ops->control->park(t, tid, park);
}

struct error *target_step(struct target *t, pid_t tid)
{
	return t->ops->control->step(t, tid);
}

uint64_t target_entry(const struct target *t)
{
	const struct process *p = process_or_null(t);

	return p ? p->auxv.entry : 0;
}
