/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Judge a thread's arrival at a place: find the breakpoint, and decide whether this is its hit. */
#include <stdlib.h>

#include "base/log.h"
#include "openmp/model/model.h"
#include "openmp/runtimes/runtime.h"
#include "worker/context/context.h"
#include "worker/control/breakpoint_list.h"

static bool in_runtime(struct worker *w, unsigned number, uint64_t address)
{
	const struct error *why;
	const struct runtime *runtime = model_runtime(worker_model_of(w, number), &why);

	return runtime && address >= runtime->start && address < runtime->end;
}

/* Add the function that the call at @place got as an argument as a place of @b. */
static struct error *add_argument_place(struct worker *w, struct breakpoint *b, const struct event_place *at,
					const struct target_event *e)
{
	struct event_place place = {
		.address = e->arguments[at->argument],
		.symbol = NULL,
		.point = at->point == EVENT_AT_ARGUMENT_RETURN ? EVENT_AT_RETURN : EVENT_AT_CALL,
		.caller = EVENT_ANY_CALLER,
		.runtime = at->runtime,
	};

	if (at->argument_in_runtime && !in_runtime(w, at->runtime, place.address))
		return NULL;
	for (size_t i = 0; i < b->n_places; i++) {
		if (b->places[i].at.address == place.address)
			return NULL;
	}
	return breakpoint_add_place(w, b, &place, true);
}

/* Return whether the function that has just returned gave the result that the event needs. */
static bool is_result(enum event_result result, const struct target_registers *regs)
{
	uint64_t value = regs->value[arch->result];

	switch (result) {
	case EVENT_ANY_RESULT:
		break;
	case EVENT_RESULT_BOOL:
		return (uint8_t)value;
	case EVENT_RESULT_INT:
		return (uint32_t)value;
	case EVENT_RESULT_NULL:
		return !value;
	}
	return true;
}

/* Return whether the word at the first argument has the required value. An unreadable word does not have it. */
static bool is_word(struct worker *w, const struct event_word *word, const struct target_event *e)
{
	uint32_t value = 0;

	if (!word->mask)
		return true;
	struct error *err = target_read(w->target, e->arguments[0] + word->offset, &value, sizeof(value));
	bool is = !err && (value & word->mask) == word->value;
	error_destroy(err);
	return is;
}

/* Count a hit of @b and return whether `after` and `every` let it stop the target. */
static bool count_hit(struct breakpoint *b, bool tracer_counted)
{
	if (tracer_counted && !b->counts_here)
		return true;
	uint64_t n = ++b->n_passed;
	return n > b->after && (n - b->after) % b->every == 0;
}

/*
 * Judge a hit of @b at a place with a condition. A place whose event is not the call itself only checks the condition;
 * its event is counted later.
 */
static bool judge_anew(struct worker *w, struct breakpoint *b, const struct breakpoint_place *place,
		       const struct target_event *e)
{
	switch (condition_holds(w, &b->condition, &place->at, e)) {
	case CONDITION_NO:
		return false;
	case CONDITION_UNKNOWN:
		b->n_undecided++;
		return false;
	case CONDITION_YES:
		break;
	}
	return place->at.point != EVENT_AT_CALL || count_hit(b, place->has_filter);
}

/* Reuse the answer to the tracer's question, so that a hit is not counted twice. */
static bool decide_hit(struct worker *w, struct breakpoint *b, const struct breakpoint_place *place,
		       const struct target_event *e)
{
	struct breakpoints *all = w->breakpoints;

	for (size_t i = 0; i < JUDGED_MAX; i++) {
		struct judged *j = &all->judged[i];

		if (j->tid != e->tid || j->breakpoint != b->number)
			continue;
		j->tid = 0;
		if (j->address == e->address)
			return j->counts;
	}
	return judge_anew(w, b, place, e);
}

/* Return whether the tracer reports @e as a hit of @b. */
static bool is_counted(const struct breakpoint *b, const struct target_event *e)
{
	for (size_t i = 0; i < e->n_counted; i++) {
		if (e->counted[i] == b->number)
			return true;
	}
	return false;
}

/* Handle the arrival of a thread at one place of @b. Returns whether this is the event of @b. */
static bool came_to(struct worker *w, struct breakpoint *b, const struct breakpoint_place *place,
		    const struct target_event *e)
{
	uint64_t return_address = 0;
	struct error *err = NULL;
	bool is_hit = false;

	if (!is_word(w, &place->at.word, e))
		return false;
	if (place->at.point != EVENT_AT_CALL || place->at.caller != EVENT_ANY_CALLER) {
		err = target_return_address(w->target, &e->registers, &return_address);
		if (!err && !events_caller_counts(&place->at, return_address))
			return false;
	}
	if (!err) {
		switch (place->at.point) {
		case EVENT_AT_CALL:
			is_hit = decide_hit(w, b, place, e);
			break;
		case EVENT_AT_RETURN:
			if (decide_hit(w, b, place, e))
				err = calls_expect(w, &w->breakpoints->calls, b->number, place, e, return_address);
			break;
		case EVENT_AT_ARGUMENT_CALL:
		case EVENT_AT_ARGUMENT_RETURN:
			err = add_argument_place(w, b, &place->at, e);
			break;
		}
	}
	if (err)
		log_err(LOG_WARN, err, "breakpoint %u at 0x%llx", b->number, (unsigned long long)e->address);
	error_destroy(err);
	return is_hit;
}

/* Handle the arrival of a thread at a return address. Returns the breakpoint that waited for this return, or NULL. */
static struct breakpoint *came_back(struct worker *w, const struct target_event *e)
{
	struct breakpoints *all = w->breakpoints;
	struct breakpoint *found = NULL;

	for (size_t i = all->calls.n; i-- > 0;) {
		if (!calls_is_back(&all->calls, i, e))
			continue;
		const struct call *c = &all->calls.first[i];
		struct breakpoint *b = (struct breakpoint *)breakpoints_find(all, c->breakpoint);
		/*
		 * If several breakpoints waited for this return, report the one with the lowest number. Skip
		 * breakpoints of closed connections.
		 */
		struct breakpoint_place place = c->place;
		bool is_hit = b && b->client >= 0 && is_result(place.at.result, &e->registers) && count_hit(b, false);
		if (is_hit)
			b->n_hits++;
		if (is_hit && (!found || b->number < found->number)) {
			found = b;
			all->hit_place = place;
		}
		calls_drop(w, &all->calls, i);
	}
	return found;
}

/* Return whether @e counts for @b. At a place whose argument yields other places, each thread's hit counts. */
static bool is_for(const struct breakpoint *b, const struct breakpoint_place *place, const struct target_event *e)
{
	bool is_any = place->at.point == EVENT_AT_ARGUMENT_CALL || place->at.point == EVENT_AT_ARGUMENT_RETURN;

	return place->at.address == e->address && (is_any || !b->tid || b->tid == e->tid) &&
	       (!place->has_filter || is_counted(b, e));
}

void breakpoints_threads_changed(struct worker *w)
{
	w->breakpoints->threads_changed = true;
}

/* Judge a hit that the tracer asks about, and keep the answer in case that the target stops for it. */
static bool judge_question(struct worker *w, struct breakpoint *b, const struct breakpoint_place *place,
			   const struct target_event *e)
{
	struct breakpoints *all = w->breakpoints;
	struct judged *j = &all->judged[all->next_judged++ % JUDGED_MAX];

	*j = (struct judged){e->tid, b->number, e->address, judge_anew(w, b, place, e)};
	return j->counts;
}

void breakpoints_answer(struct worker *w, const struct target_event *e)
{
	struct breakpoints *all = w->breakpoints;
	bool is_hit = false;

	/* Only the thread itself must be stopped and known. */
	target_view_begin_memory(w->target);
	if (all->threads_changed || !target_thread_by_tid(w->target, e->tid))
		target_view_begin(w->target);
	all->threads_changed = false;
	for (struct breakpoint *b = all->first; b; b = b->next) {
		for (size_t i = 0; b->client >= 0 && i < b->n_places; i++) {
			if (b->places[i].asks && is_for(b, &b->places[i], e))
				is_hit |= judge_question(w, b, &b->places[i], e);
		}
	}
	bool is_over = target_answer(w->target, e->tid, is_hit) && !is_hit;
	for (size_t i = 0; is_over && i < JUDGED_MAX; i++) {
		if (all->judged[i].tid == e->tid)
			all->judged[i].tid = 0;
	}
}

const struct breakpoint *breakpoints_hit(struct worker *w, const struct target_event *e,
					 const struct breakpoint_place **place_ret)
{
	struct breakpoints *all = w->breakpoints;

	breakpoint_destroy(all->hit_once);
	all->hit_once = NULL;
	struct breakpoint *found = came_back(w, e);
	for (struct breakpoint *b = all->first; b; b = b->next) {
		/* Breakpoints that are learnt from this hit lie at other addresses. */
		for (size_t i = 0; b->client >= 0 && i < b->n_places; i++) {
			/* A copy: learning may move the list. */
			struct breakpoint_place place = b->places[i];

			if (!is_for(b, &place, e) || !came_to(w, b, &place, e))
				continue;
			b->n_hits++;
			if (!found) {
				found = b;
				all->hit_place = place;
			}
		}
	}
	if (!found)
		return NULL;
	if (found->once) {
		breakpoint_take_out(w, found);
		all->hit_once = found;
	}
	*place_ret = &all->hit_place;
	return found;
}