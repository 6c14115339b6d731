/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The list of breakpoints, and their places in the program's text. A place is planted once for each breakpoint that has
 * it, and once for each call that is expected to return there; target/stop/tracer counts.
 */
#include "worker/control/breakpoint_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/vector.h"
#include "openmp/model/model.h"
#include "openmp/runtimes/runtime.h"
#include "target/source/functions.h"
#include "target/source/lines.h"
#include "worker/context/context.h"
#include "worker/control/serialize.h"
#include "worker/control/step.h"

struct breakpoints *breakpoints_create(void)
{
	return calloc(1, sizeof(struct breakpoints));
}

void breakpoints_clear(struct breakpoints *b)
{
	while (b->first) {
		struct breakpoint *next = b->first->next;

		breakpoint_destroy(b->first);
		b->first = next;
	}
	b->n = 0;
	b->calls.n = 0;
}

void breakpoints_destroy(struct breakpoints *b)
{
	if (!b)
		return;
	breakpoints_clear(b);
	breakpoint_destroy(b->hit_once);
	calls_deinit(&b->calls);
	free(b);
}

const struct breakpoint *breakpoints_first(const struct breakpoints *b)
{
	return b->first;
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

/* Places; the target is stopped while they change. */

/* Build the filter that the tracer applies to hits of @place. */
static struct target_filter make_filter(const struct breakpoint *b, struct breakpoint_place *place)
{
	const struct event_place *at = &place->at;
	struct target_filter filter = {.group = b->number};
	bool is_event = b->kind == BREAKPOINT_EVENT && !place->is_learnt;

	/* Each hit here yields a place of the event, so no hit is filtered by thread or condition. */
	if (at->point == EVENT_AT_ARGUMENT_CALL || at->point == EVENT_AT_ARGUMENT_RETURN) {
		is_event = at->caller != EVENT_ANY_CALLER;
	} else {
		filter.tid = b->tid;
		place->asks = condition_to_filter(&b->condition, at, &filter);
		filter.asks = place->asks;
		filter.calls = filter.only_first = is_event;
	}
	if (is_event && at->caller != EVENT_ANY_CALLER) {
		filter.calls = 1;
		filter.outside = at->caller == EVENT_CALLER_NOT_RUNTIME;
		filter.start = at->caller_start;
		filter.end = at->caller_end;
	}
	filter.word_offset = at->word.offset;
	filter.word_mask = at->word.mask;
	filter.word_value = at->word.value;
	if (!b->counts_here) {
		filter.after = b->after;
		filter.every = b->every;
	}
	return filter;
}

static bool is_every_hit(const struct breakpoint *b)
{
	return b->kind != BREAKPOINT_EVENT && !b->tid && condition_is_any(&b->condition) && !b->after && b->every == 1;
}

static struct error *plant_place(struct worker *w, const struct breakpoint *b, struct breakpoint_place *place)
{
	if (is_every_hit(b))
		return target_plant(w->target, place->at.address);
	struct target_filter filter = make_filter(b, place);
	struct error *err = target_plant_if(w->target, place->at.address, &filter);

	place->has_filter = !err;
	return err;
}

static void lift_place(struct worker *w, const struct breakpoint *b, const struct breakpoint_place *place)
{
	if (place->has_filter)
		target_lift_if(w->target, place->at.address, b->number);
	else
		target_lift(w->target, place->at.address);
}

struct error *breakpoint_add_place(struct worker *w, struct breakpoint *b, const struct event_place *at, bool is_learnt)
{
	if (b->n_places == BREAKPOINTS_MAX_PLACES)
		return error_create(ERR_LIMIT_EXCEEDED, "breakpoint %u has %d places already", b->number,
				    BREAKPOINTS_MAX_PLACES);
	if (!VECTOR_GROW(b->places, b->n_places, b->cap_places))
		return &error_nomem;
	struct breakpoint_place place = {.at = *at, .is_learnt = is_learnt};
	struct error *err = plant_place(w, b, &place);
	if (!err && at->switch_address) {
		err = target_plant_byte(w->target, at->switch_address, EVENT_SWITCH_ON);
		if (err)
			lift_place(w, b, &place);
	}
	if (err)
		return err;
	b->places[b->n_places++] = place;
	return NULL;
}

static void lift_places(struct worker *w, const struct breakpoint *b)
{
	for (size_t i = 0; i < b->n_places; i++) {
		lift_place(w, b, &b->places[i]);
		if (b->places[i].at.switch_address)
			target_lift(w->target, b->places[i].at.switch_address);
	}
	calls_drop_all_of(w, &w->breakpoints->calls, b->number);
}

/* Remove @b from the list. */
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

void breakpoint_take_out(struct worker *w, struct breakpoint *b)
{
	lift_places(w, b);
	unlink_breakpoint(w->breakpoints, b);
}

void breakpoint_destroy(struct breakpoint *b)
{
	if (!b)
		return;
	free(b->function);
	free(b->region);
	free(b->places);
	free(b);
}

uint64_t breakpoints_passed(struct worker *w, const struct breakpoint *b)
{
	return b->counts_here || is_every_hit(b) ? b->n_passed : target_passed(w->target, b->number);
}

/* Setting */

/* Find the places of the line in @spec. The caller owns *@ret. *@line_ret: the line that was found. */
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

	_Static_assert(FUNCTIONS_MAX <= EVENTS_MAX_OF_ALL, "they fit");
	if (spec->kind != BREAKPOINT_EVENT && !target_is_stopped(w->target))
		target_view_begin(w->target);
	if (spec->kind == BREAKPOINT_LINE)
		return find_line(w, spec, ret, n_ret, line_ret);
	_cleanup_free_ struct event_place *places = calloc(EVENTS_MAX_OF_ALL, sizeof(*places));
	if (!places)
		return &error_nomem;
	*n_ret = 1;
	places[0].address = spec->address;
	if (spec->kind == BREAKPOINT_EVENT)
		err = events_find_of_all(w->runtimes, spec->runtime, spec->event, true, places, n_ret);
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
		err = breakpoint_add_place(w, b, &places[i], false);
	if (err)
		lift_places(w, b);
	struct error *late = target_change_end(w->target, held);
	if (!err)
		return late;
	error_destroy(late);
	return err;
}

/* Return whether the worker must count the hits of @b. The tracer counts only hits that it recognizes by itself. */
static bool counts_here(const struct breakpoint *b, const struct event_place *places, size_t n)
{
	struct target_filter filter;

	for (size_t i = 0; i < n; i++) {
		if (places[i].point != EVENT_AT_CALL || condition_to_filter(&b->condition, &places[i], &filter))
			return true;
	}
	return false;
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
	if (b && spec->condition.region)
		b->region = strdup(spec->condition.region);
	if (!b || (text && !b->function) || (spec->condition.region && !b->region)) {
		breakpoint_destroy(b);
		return &error_nomem;
	}
	b->number = ++all->last_number;
	b->client = w->client;
	b->kind = spec->kind;
	b->event = spec->event;
	b->line = line;
	b->tid = spec->tid;
	b->runtime = spec->runtime;
	b->once = spec->once;
	b->after = spec->after;
	b->every = spec->every ? spec->every : 1;
	if (!target_is_stopped(w->target))
		target_view_begin(w->target);
	err = condition_create(w, &spec->condition, spec->kind == BREAKPOINT_EVENT ? spec->event : EVENT_KINDS,
			       spec->runtime, &b->condition);
	if (err) {
		breakpoint_destroy(b);
		return err;
	}
	b->counts_here = counts_here(b, places, n);
	err = plant_all(w, b, places, n);
	if (err) {
		breakpoint_destroy(b);
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
	breakpoint_take_out(w, b);
	breakpoint_destroy(b);
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
		breakpoint_take_out(w, b);
		breakpoint_destroy(b);
	}
	if (!err)
		err = target_change_end(w->target, held);
	/* The target could not be stopped: hits belong to no client then, and do not stop the target (counts_for()). */
	for (struct breakpoint *b = all->first; b && err; b = b->next)
		b->client = b->client == client ? -1 : b->client;
	if (err)
		log_err(LOG_WARN, err, "remove the breakpoints of a closed connection");
	error_destroy(err);
}

void breakpoints_end(struct worker *w)
{
	struct breakpoints *all = w->breakpoints;
	bool held;

	if (!all->first && !step_is_active(w->step) && !w->serialize.address)
		return;
	struct error *err = target_change_begin(w->target, &held);
	if (!err) {
		for (struct breakpoint *b = all->first; b; b = b->next)
			lift_places(w, b);
		step_end(w);
		serialize_end(w);
		breakpoints_clear(all);
		err = target_change_end(w->target, held);
	}
	/* If this failed, the tracer removes the breakpoints when the target is destroyed. */
	if (err)
		log_err(LOG_INFO, err, "remove the breakpoints of target %s", w->target_id);
	error_destroy(err);
}
