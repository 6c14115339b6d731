/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Control of a target's program through its stopper. */
#include "target/control.h"

#include "target/stop/stopper.h"
#include "target/target_ops.h"

int target_event_fd(const struct target *t)
{
	return t->stopper ? t->stopper->ops->event_fd(t->stopper) : -1;
}

bool target_next_event(struct target *t, struct target_event *ret)
{
	return t->stopper && t->stopper->ops->next_event(t->stopper, ret);
}

struct error *target_change_begin(struct target *t, bool *held_ret)
{
	if (!t->stopper || t->mode != TARGET_STOP)
		return error_create(ERR_MODE_UNSUPPORTED, "only a process in mode \"stop\" can be controlled");
	bool is_traced = t->stopper->ops->is_traced(t->stopper);
	*held_ret = target_is_stopped(t);
	if (*held_ret)
		return is_traced ? NULL
				 : error_create(ERR_TRACER_FAILED,
						"the target is held without a tracer, because none could be started");
	return is_traced ? t->ops->stop(t, 0) : t->stopper->ops->start_tracer(t->stopper);
}

struct error *target_change_end(struct target *t, bool held)
{
	int64_t us;

	/* If a breakpoint hit caused the stop, a resume by the tracer's client would end it. */
	return held || !t->stopper->ops->is_traced(t->stopper) ? NULL : t->stopper->ops->resume(t->stopper, &us);
}

struct error *target_plant(struct target *t, uint64_t address)
{
	return t->stopper->ops->plant(t->stopper, address);
}

struct error *target_plant_byte(struct target *t, uint64_t address, unsigned char byte)
{
	return t->stopper->ops->plant_byte(t->stopper, address, byte);
}

void target_lift(struct target *t, uint64_t address)
{
	t->stopper->ops->lift(t->stopper, address);
}

struct error *target_plant_if(struct target *t, uint64_t address, const struct target_filter *filter)
{
	return t->stopper->ops->plant_if(t->stopper, address, filter);
}

void target_lift_if(struct target *t, uint64_t address, uint32_t group)
{
	t->stopper->ops->lift_if(t->stopper, address, group);
}

struct error *target_set_word(struct target *t, uint64_t address, uint64_t value)
{
	return t->stopper->ops->set_word(t->stopper, address, value);
}

uint64_t target_passed(struct target *t, uint32_t group)
{
	return t->stopper ? t->stopper->ops->passed(t->stopper, group) : 0;
}

bool target_answer(struct target *t, pid_t tid, bool counts)
{
	return t->stopper->ops->answer(t->stopper, tid, counts);
}

struct error *target_park(struct target *t, pid_t tid, bool park)
{
	return t->stopper->ops->park(t->stopper, tid, park);
}

struct error *target_step(struct target *t, pid_t tid)
{
	return t->stopper->ops->step(t->stopper, tid);
}
