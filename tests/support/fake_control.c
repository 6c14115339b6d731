/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The stopper of a fake target: ends of stops, breakpoints, steps and events. It counts planted breakpoints, and the
 * test pushes the hits. */
#include "fake_target_internal.h"

#include <stdlib.h>

static int fake_event_fd(const struct stopper *s)
{
	(void)s;
	return -1;
}

static bool fake_next_event(struct stopper *s, struct target_event *ret)
{
	struct fake *f = fake_of_stopper(s);

	if (f->first_event == f->n_events)
		return false;
	*ret = f->events[f->first_event++];
	return true;
}

static struct error *fake_resume(struct stopper *s, int64_t *stopped_us_ret)
{
	struct fake *f = fake_of_stopper(s);

	if (!f->stopped)
		return error_create(ERR_NOT_STOPPED, "the target is not stopped");
	f->stopped = false;
	f->n_resumes++;
	struct error *err = fake_failure(f);
	if (!err)
		*stopped_us_ret = f->stopped_us;
	return err;
}

static bool fake_is_stopped(const struct stopper *s)
{
	return fake_of_stopper((struct stopper *)s)->stopped;
}

static int64_t fake_stopped_us(const struct stopper *s)
{
	const struct fake *f = fake_of_stopper((struct stopper *)s);

	return f->stopped ? f->stopped_us : 0;
}

static bool fake_is_traced(const struct stopper *s)
{
	(void)s;
	return true;
}

static struct fake_planted *find_planted(struct fake *f, uint64_t address)
{
	for (size_t i = 0; i < f->n_planted; i++) {
		if (f->planted[i].address == address)
			return &f->planted[i];
	}
	if (f->n_planted == MAX_PLANTED)
		abort();
	f->planted[f->n_planted].address = address;
	return &f->planted[f->n_planted++];
}

/* Plant a breakpoint. The tracer refuses this and lifting while the target runs. */
static struct error *fake_plant(struct stopper *s, uint64_t address)
{
	struct fake_planted *at = find_planted(fake_of_stopper(s), address);

	if (!fake_of_stopper(s)->stopped)
		abort();
	if (at->refused)
		return error_create(ERR_BREAKPOINT_IMPOSSIBLE, "no breakpoint there");
	at->users++;
	return NULL;
}

static void fake_lift(struct stopper *s, uint64_t address)
{
	struct fake_planted *at = find_planted(fake_of_stopper(s), address);

	if (!fake_of_stopper(s)->stopped || !at->users)
		abort();
	at->users--;
}

static struct error *fake_plant_if(struct stopper *s, uint64_t address, const struct target_filter *filter)
{
	struct fake_planted *at = find_planted(fake_of_stopper(s), address);

	if (at->n_filters == FILTERS_MAX)
		return error_create(ERR_LIMIT_EXCEEDED, "too many filters there");
	struct error *err = fake_plant(s, address);
	if (!err)
		at->filters[at->n_filters++] = *filter;
	return err;
}

static void fake_lift_if(struct stopper *s, uint64_t address, uint32_t group)
{
	struct fake_planted *at = find_planted(fake_of_stopper(s), address);
	size_t i = 0;

	while (i < at->n_filters && at->filters[i].group != group)
		i++;
	if (i == at->n_filters)
		abort();
	at->filters[i] = at->filters[--at->n_filters];
	fake_lift(s, address);
}

/* Return 0: the fake counts nothing, and the test decides which hits pass. */
static uint64_t fake_passed(struct stopper *s, uint32_t group)
{
	(void)s, (void)group;
	return 0;
}

static struct error *fake_set_word(struct stopper *s, uint64_t address, uint64_t value)
{
	if (!fake_of_stopper(s)->stopped)
		abort();
	fake_target_poke_u64(&fake_of_stopper(s)->base, address, value);
	return NULL;
}

static bool fake_answer(struct stopper *s, pid_t tid, bool counts)
{
	fake_of_stopper(s)->answered = tid;
	fake_of_stopper(s)->answer = counts;
	return true;
}

static struct error *fake_park(struct stopper *s, pid_t tid, bool park)
{
	struct fake_thread *thread = fake_find_thread(fake_of_stopper(s), tid);

	if (!thread)
		return error_create(ERR_TARGET_EXITED, "there is no thread %d", tid);
	thread->parked = park;
	return NULL;
}

static struct error *fake_step(struct stopper *s, pid_t tid)
{
	struct fake_thread *thread = fake_find_thread(fake_of_stopper(s), tid);

	if (!thread)
		return error_create(ERR_STEP_IMPOSSIBLE, "there is no thread %d", tid);
	thread->registers.value[TARGET_REGISTER_PC]++;
	fake_of_stopper(s)->n_steps++;
	return NULL;
}

const struct stopper_ops fake_stopper_ops = {
	.resume = fake_resume,
	.is_stopped = fake_is_stopped,
	.stopped_us = fake_stopped_us,
	.is_traced = fake_is_traced,
	.event_fd = fake_event_fd,
	.next_event = fake_next_event,
	.plant = fake_plant,
	.lift = fake_lift,
	.plant_if = fake_plant_if,
	.lift_if = fake_lift_if,
	.set_word = fake_set_word,
	.passed = fake_passed,
	.answer = fake_answer,
	.park = fake_park,
	.step = fake_step,
};

void fake_target_push_event(struct target *t, const struct target_event *e)
{
	struct fake *f = fake_of(t);

	if (f->first_event == f->n_events)
		f->first_event = f->n_events = 0;
	if (f->n_events == MAX_EVENTS)
		abort();
	struct target_event *kept = &f->events[f->n_events++];
	*kept = *e;
	for (size_t i = 0; i < f->n_planted && e->address; i++) {
		const struct fake_planted *at = &f->planted[i];

		/* Count for every filter except one for another thread. */
		for (size_t k = 0; at->address == e->address && k < at->n_filters; k++) {
			if (!at->filters[k].tid || at->filters[k].tid == e->tid)
				kept->counted[kept->n_counted++] = at->filters[k].group;
		}
	}
	f->stopped |= e->kind == TARGET_EVENT_HIT;
}

pid_t fake_target_answered(struct target *t, bool *ret)
{
	pid_t tid = fake_of(t)->answered;

	*ret = fake_of(t)->answer;
	fake_of(t)->answered = 0;
	return tid;
}

size_t fake_target_n_planted(struct target *t, uint64_t address)
{
	return find_planted(fake_of(t), address)->users;
}

size_t fake_target_n_planted_all(struct target *t)
{
	size_t n = 0;

	for (size_t i = 0; i < fake_of(t)->n_planted; i++)
		n += fake_of(t)->planted[i].users;
	return n;
}

void fake_target_refuse_plant(struct target *t, uint64_t address)
{
	find_planted(fake_of(t), address)->refused = true;
}

bool fake_target_is_parked(struct target *t, pid_t tid)
{
	const struct fake_thread *thread = fake_find_thread(fake_of(t), tid);

	return thread && thread->parked;
}

size_t fake_target_n_steps(struct target *t)
{
	return fake_of(t)->n_steps;
}
