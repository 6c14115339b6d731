/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Breakpoints as their clients made them, and the places in the text that they need. A place is planted once for each
 * breakpoint that has it, and once for each call whose return to there is waited for; target/tracer counts.
 */
#include "worker/breakpoints.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "openmp/model/model.h"
#include "openmp/runtimes/runtime.h"
#include "target/functions.h"
#include "target/lines.h"
#include "target/registers.h"
#include "worker/step.h"
#include "worker/worker.h"

/* A call of the function at a place, seen at its entry. */
struct call {
	uint32_t breakpoint;
	pid_t tid;
	uint64_t address; /* to which it returns */
	uint64_t sp;	  /* when it has returned */
	struct breakpoint_place place;
};

struct breakpoints {
	struct breakpoint *first;
	size_t n;
	uint32_t last_number;
	struct call *calls; /* oldest first */
	size_t n_calls, cap_calls;
	struct breakpoint_place hit_place;
	struct breakpoint *hit_once; /* taken out, but still spoken of */
};

struct breakpoints *breakpoints_create(void)
{
	return calloc(1, sizeof(struct breakpoints));
}

static void breakpoint_free(struct breakpoint *b)
{
	if (!b)
		return;
	free(b->function);
	free(b->places);
	free(b);
}

void breakpoints_clear(struct breakpoints *b)
{
	while (b->first) {
		struct breakpoint *next = b->first->next;

		breakpoint_free(b->first);
		b->first = next;
	}
	b->n = 0;
	b->n_calls = 0;
}

void breakpoints_destroy(struct breakpoints *b)
{
	if (!b)
		return;
	breakpoints_clear(b);
	breakpoint_free(b->hit_once);
	free(b->calls);
	free(b);
}

const struct breakpoint *breakpoints_first(const struct breakpoints *b)
{
	return b->first;
}

size_t breakpoints_count(const struct breakpoints *b)
{
	return b->n;
}

const struct breakpoint *breakpoints_find(const struct breakpoints *b, uint32_t number)
{
	for (const struct breakpoint *it = b->first; it; it = it->next) {
		if (it->number == number)
			return it;
	}
	return b->hit_once && b->hit_once->number == number ? b->hit_once : NULL;
}

const char *breakpoint_kind_name(enum breakpoint_kind kind)
{
	switch (kind) {
	case BREAKPOINT_ADDRESS:
		return "address";
	case BREAKPOINT_FUNCTION:
		return "function";
	case BREAKPOINT_LINE:
		return "line";
	case BREAKPOINT_EVENT:
		break;
	}
	return "event";
}

/* Places; the target is stopped for changes. */

static struct error *add_place(struct worker *w, struct breakpoint *b, const struct event_place *at, bool is_learnt)
{
	if (b->n_places == BREAKPOINTS_MAX_PLACES)
		return error_create(ERR_LIMIT_EXCEEDED, "breakpoint %u has %d places already", b->number,
				    BREAKPOINTS_MAX_PLACES);
	if (b->n_places == b->cap_places) {
		size_t cap = b->cap_places ? b->cap_places * 2 : 4;
		struct breakpoint_place *more = realloc(b->places, cap * sizeof(*more));

		if (!more)
			return &error_nomem;
		b->places = more;
		b->cap_places = cap;
	}
	struct error *err = target_plant(w->target, at->address);
	if (!err && at->switch_address) {
		err = target_plant_byte(w->target, at->switch_address, EVENT_SWITCH_ON);
		if (err)
			target_lift(w->target, at->address);
	}
	if (err)
		return err;
	b->places[b->n_places++] = (struct breakpoint_place){*at, is_learnt};
	return NULL;
}

static void drop_call(struct worker *w, size_t i)
{
	struct breakpoints *all = w->breakpoints;

	target_lift(w->target, all->calls[i].address);
	memmove(&all->calls[i], &all->calls[i + 1], (--all->n_calls - i) * sizeof(*all->calls));
}

static void lift(struct worker *w, const struct breakpoint *b)
{
	struct breakpoints *all = w->breakpoints;

	for (size_t i = 0; i < b->n_places; i++) {
		target_lift(w->target, b->places[i].at.address);
		if (b->places[i].at.switch_address)
			target_lift(w->target, b->places[i].at.switch_address);
	}
	for (size_t i = all->n_calls; i-- > 0;) {
		if (all->calls[i].breakpoint == b->number)
			drop_call(w, i);
	}
}

/* Take @b out of the list. */
static void unlink_breakpoint(struct breakpoints *all, struct breakpoint *b)
{
	for (struct breakpoint **it = &all->first; *it; it = &(*it)->next) {
		if (*it != b)
			continue;
		*it = b->next;
		all->n--;
		return;
	}
}

/* Setting */

/* *@ret is owned; *@line_ret: the line that it came to. */
static struct error *find_line(struct worker *w, const struct breakpoint_spec *spec, struct event_place **ret,
			       size_t *n_ret, int *line_ret)
{
	struct lines lines;
	struct error *err = lines_find(w->target, spec->file, spec->line, &lines);

	if (err)
		return err;
	struct event_place *places = calloc(lines.n, sizeof(*places));
	for (size_t i = 0; places && i < lines.n; i++)
		places[i].address = lines.addresses[i];
	*n_ret = lines.n;
	*line_ret = lines.line;
	lines_deinit(&lines);
	if (!places)
		return &error_nomem;
	*ret = places;
	return NULL;
}

static struct error *find_places(struct worker *w, const struct breakpoint_spec *spec, struct event_place **ret,
				 size_t *n_ret, int *line_ret)
{
	struct functions functions;
	struct error *err = NULL;

	_Static_assert(FUNCTIONS_MAX <= EVENTS_MAX_PLACES, "they fit");
	if (spec->kind != BREAKPOINT_EVENT && !target_is_stopped(w->target))
		target_view_begin(w->target);
	if (spec->kind == BREAKPOINT_LINE)
		return find_line(w, spec, ret, n_ret, line_ret);
	_cleanup_free_ struct event_place *places = calloc(EVENTS_MAX_PLACES, sizeof(*places));
	if (!places)
		return &error_nomem;
	*n_ret = 1;
	places[0].address = spec->address;
	if (spec->kind == BREAKPOINT_EVENT)
		err = events_check_to_come(w->model, spec->event);
	if (spec->kind == BREAKPOINT_EVENT && !err)
		err = events_find(w->model, spec->event, places, n_ret);
	if (spec->kind == BREAKPOINT_FUNCTION) {
		err = functions_find(w->target, spec->function, &functions);
		*n_ret = err ? 0 : functions.n;
		for (size_t i = 0; i < *n_ret; i++)
			places[i].address = functions.addresses[i];
	}
	if (!err)
		*ret = no_cleanup(places);
	return err;
}

static struct error *plant_all(struct worker *w, struct breakpoint *b, const struct event_place *places, size_t n)
{
	bool held;
	struct error *err = target_change_begin(w->target, &held);

	if (err)
		return err;
	for (size_t i = 0; !err && i < n; i++)
		err = add_place(w, b, &places[i], false);
	if (err)
		lift(w, b);
	struct error *late = target_change_end(w->target, held);
	if (!err)
		return late;
	error_destroy(late);
	return err;
}

struct error *breakpoints_set(struct worker *w, const struct breakpoint_spec *spec, const struct breakpoint **ret)
{
	struct breakpoints *all = w->breakpoints;
	struct event_place *found;
	int line = spec->line;
	size_t n;

	if (all->n == BREAKPOINTS_MAX)
		return error_create(ERR_LIMIT_EXCEEDED, "the target has %d breakpoints already", BREAKPOINTS_MAX);
	struct error *err = find_places(w, spec, &found, &n, &line);
	if (err)
		return err;
	_cleanup_free_ struct event_place *places = found;
	const char *text = spec->kind == BREAKPOINT_LINE ? spec->file : spec->function;
	struct breakpoint *b = calloc(1, sizeof(*b));
	if (b && text)
		b->function = strdup(text);
	if (!b || (text && !b->function)) {
		free(b);
		return &error_nomem;
	}
	b->number = ++all->last_number;
	b->client = w->client;
	b->kind = spec->kind;
	b->event = spec->event;
	b->line = line;
	b->tid = spec->tid;
	b->once = spec->once;
	err = plant_all(w, b, places, n);
	if (err) {
		breakpoint_free(b);
		return err;
	}
	struct breakpoint **last = &all->first;
	while (*last)
		last = &(*last)->next;
	*last = b;
	all->n++;
	*ret = b;
	return NULL;
}

struct error *breakpoints_delete(struct worker *w, uint32_t number)
{
	struct breakpoints *all = w->breakpoints;
	struct breakpoint *b = all->first;
	bool held;

	while (b && (b->number != number || b->client != w->client))
		b = b->next;
	if (!b)
		return error_create(ERR_NO_SUCH_BREAKPOINT, "this connection has no breakpoint %u", number);
	struct error *err = target_change_begin(w->target, &held);
	if (err)
		return err;
	lift(w, b);
	unlink_breakpoint(all, b);
	breakpoint_free(b);
	return target_change_end(w->target, held);
}

void breakpoints_client_gone(struct worker *w, int64_t client)
{
	struct breakpoints *all = w->breakpoints;
	struct breakpoint *next;
	bool any = false, held = false;

	for (struct breakpoint *b = all->first; b; b = b->next)
		any |= b->client == client;
	if (!any)
		return;
	struct error *err = target_change_begin(w->target, &held);
	for (struct breakpoint *b = all->first; b && !err; b = next) {
		next = b->next;
		if (b->client != client)
			continue;
		lift(w, b);
		unlink_breakpoint(all, b);
		breakpoint_free(b);
	}
	if (!err)
		err = target_change_end(w->target, held);
	/* It could not be stopped: hits are nobody's then, and pass silently (counts_for()). */
	for (struct breakpoint *b = all->first; b && err; b = b->next)
		b->client = b->client == client ? -1 : b->client;
	if (err)
		log_err(LOG_WARN, err, "take out the breakpoints of a connection that is gone");
	error_destroy(err);
}

void breakpoints_end(struct worker *w)
{
	struct breakpoints *all = w->breakpoints;
	bool held;

	if (!all->first && !step_is_active(w->step))
		return;
	struct error *err = target_change_begin(w->target, &held);
	if (!err) {
		for (struct breakpoint *b = all->first; b; b = b->next)
			lift(w, b);
		step_end(w);
		breakpoints_clear(all);
		err = target_change_end(w->target, held);
	}
	/* When the target is destroyed its tracer takes them out, which is only later. */
	if (err)
		log_err(LOG_INFO, err, "take out the breakpoints of target %s", w->target_id);
	error_destroy(err);
}

/* Hits */

static bool in_runtime(struct worker *w, uint64_t address)
{
	const struct error *why;
	const struct runtime *runtime = model_runtime(w->model, &why);

	return runtime && address >= runtime->start && address < runtime->end;
}

/* Wait for the return of the call that @e begins. */
static struct error *expect_return(struct worker *w, const struct breakpoint *b, const struct breakpoint_place *place,
				   const struct target_event *e, uint64_t return_address)
{
	struct breakpoints *all = w->breakpoints;
	uint64_t sp = e->registers.value[TARGET_REGISTER_SP];

	/* Calls further in that have not returned here never will: an exception or a longjmp() took them away. */
	for (size_t i = all->n_calls; i-- > 0;) {
		if (all->calls[i].tid == e->tid && all->calls[i].sp <= sp)
			drop_call(w, i);
	}
	if (all->n_calls == BREAKPOINTS_MAX_CALLS)
		drop_call(w, 0);
	if (all->n_calls == all->cap_calls) {
		size_t cap = all->cap_calls ? all->cap_calls * 2 : 16;
		struct call *more = realloc(all->calls, cap * sizeof(*more));

		if (!more)
			return &error_nomem;
		all->calls = more;
		all->cap_calls = cap;
	}
	struct error *err = target_plant(w->target, return_address);
	if (err)
		return err;
	all->calls[all->n_calls++] = (struct call){
		.breakpoint = b->number,
		.tid = e->tid,
		.address = return_address,
		.sp = sp + arch.return_slot,
		.place = *place,
	};
	return NULL;
}

/* The function that the call at @place got as an argument is a place too. */
static struct error *learn(struct worker *w, struct breakpoint *b, const struct event_place *at,
			   const struct target_event *e)
{
	struct event_place place = {
		.address = e->arguments[at->argument],
		.symbol = NULL,
		.point = at->point == EVENT_AT_ARGUMENT_RETURN ? EVENT_AT_RETURN : EVENT_AT_CALL,
		.caller = EVENT_ANY_CALLER,
	};

	if (at->argument_in_runtime && !in_runtime(w, place.address))
		return NULL;
	for (size_t i = 0; i < b->n_places; i++) {
		if (b->places[i].at.address == place.address)
			return NULL;
	}
	return add_place(w, b, &place, true);
}

/* A thread came to one place of @b. Whether that is its event. */
static bool came_to(struct worker *w, struct breakpoint *b, const struct breakpoint_place *place,
		    const struct target_event *e)
{
	uint64_t return_address = 0;
	struct error *err = NULL;
	bool is_hit = false;

	if (place->at.point != EVENT_AT_CALL || place->at.caller != EVENT_ANY_CALLER) {
		err = registers_return_address(w->target, &e->registers, &return_address);
		if (!err && !events_caller_counts(w->model, place->at.caller, return_address))
			return false;
	}
	if (!err) {
		switch (place->at.point) {
		case EVENT_AT_CALL:
			is_hit = true;
			break;
		case EVENT_AT_RETURN:
			err = expect_return(w, b, place, e, return_address);
			break;
		case EVENT_AT_ARGUMENT_CALL:
		case EVENT_AT_ARGUMENT_RETURN:
			err = learn(w, b, &place->at, e);
			break;
		}
	}
	if (err)
		log_err(LOG_WARN, err, "breakpoint %u at 0x%llx", b->number, (unsigned long long)e->address);
	error_destroy(err);
	return is_hit;
}

/* A thread came to where calls return to. The breakpoint that waited for this return, or NULL. */
static struct breakpoint *came_back(struct worker *w, const struct target_event *e)
{
	struct breakpoints *all = w->breakpoints;
	struct breakpoint *found = NULL;

	for (size_t i = all->n_calls; i-- > 0;) {
		const struct call *c = &all->calls[i];

		if (c->address != e->address || c->tid != e->tid || c->sp != e->registers.value[TARGET_REGISTER_SP])
			continue;
		struct breakpoint *b = (struct breakpoint *)breakpoints_find(all, c->breakpoint);
		/* Two breakpoints may have waited for it: the one with the lower number is told. One whose client is
		 * gone is not. */
		if (b && b->client >= 0 && (!found || b->number < found->number)) {
			found = b;
			all->hit_place = c->place;
		}
		drop_call(w, i);
	}
	return found;
}

static bool counts_for(const struct breakpoint *b, const struct target_event *e)
{
	return b->client >= 0 && (!b->tid || b->tid == e->tid);
}

const struct breakpoint *breakpoints_hit(struct worker *w, const struct target_event *e,
					 const struct breakpoint_place **place_ret)
{
	struct breakpoints *all = w->breakpoints;

	breakpoint_free(all->hit_once);
	all->hit_once = NULL;
	struct breakpoint *found = came_back(w, e);
	if (found)
		found->n_hits++;
	for (struct breakpoint *b = all->first; b; b = b->next) {
		/* What is learnt here is at other addresses. */
		for (size_t i = 0; counts_for(b, e) && i < b->n_places; i++) {
			/* A copy: what is learnt may move the list. */
			struct breakpoint_place place = b->places[i];

			if (place.at.address != e->address || !came_to(w, b, &place, e))
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
		lift(w, found);
		unlink_breakpoint(all, found);
		all->hit_once = found;
	}
	*place_ret = &all->hit_place;
	return found;
}
