/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A step has the same phases as ompdd's own step (ompdd/worker/step.c). First the thread gets to an entry point of
 * the runtime, whose argument is the region's function. A thread at that function is held while the others run,
 * until the team is complete. Each stop of ours is followed by a query, because a debugger may report one stop
 * several times.
 */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "companion_steps_internal.h"
#include "format.h"
#include "message.h"

/* Most threads at the function that are not members of the team. */
#define MAX_STRANGERS 1024

void steps_add_plant(struct json_object *wish, uint64_t address, int64_t tid)
{
	struct json_object *list = format_member(wish, "plant"), *one = json_object_new_array();

	if (!list) {
		list = json_object_new_array();
		json_object_object_add(wish, "plant", list);
	}
	json_object_array_add(one, json_object_new_int64((int64_t)address));
	json_object_array_add(one, json_object_new_int64(tid));
	json_object_array_add(list, one);
}

struct json_object *steps_look(const struct companion *c)
{
	struct json_object *wish = json_object_new_object();

	dap_message_put_int(wish, "thread", c->steps.tid);
	if (c->steps.phase == STEPS_MEMBERS)
		dap_message_put_int(wish, "hold", (int64_t)c->steps.address);
	return wish;
}

static void note_own_ids(struct steps *s, struct json_object *answer)
{
	struct json_object *ids = dap_message_array(answer, "ids");

	for (size_t i = 0; i < dap_message_length(ids); i++)
		s->own[s->n_own++ % STEPS_MAX_OWN] = format_int(json_object_array_get_idx(ids, i), 0);
}

/* End of a step */

static void clear_step(struct steps *s)
{
	json_object_put(s->request);
	json_object_put(s->regions);
	json_object_put(s->begins);
	json_object_put(s->at);
	json_object_put(s->other);
	s->request = s->regions = s->begins = s->at = s->other = NULL;
	s->phase = STEPS_NONE;
	s->is_asking = s->has_more = s->wants_stop = false;
	s->turn++;
}

/* Remove planted breakpoints and held threads. Later requests of the client come after that. */
static void close_step(struct companion *c)
{
	if (c->steps.is_loaded) {
		struct json_object *wish = json_object_new_object();

		dap_message_put_bool(wish, "end", true);
		steps_ask(c, wish, NULL);
	}
	clear_step(&c->steps);
}

/* End the step: the program is stopped, and the client is notified. */
static void finish_step(struct companion *c, const char *reason, const char *description)
{
	struct json_object *body = json_object_new_object(), *event;

	dap_message_put_string(body, "reason", reason);
	dap_message_put_string(body, "description", description);
	dap_message_put_int(body, "threadId", c->steps.tid);
	dap_message_put_bool(body, "allThreadsStopped", true);
	close_step(c);
	event = dap_message_event("stopped", body);
	companion_stopped(c, event);
	json_object_put(event);
}

void steps_refuse(struct companion *c, const char *why)
{
	if (c->steps.request)
		dap_session_refuse(c->s, c->steps.request, why);
	close_step(c);
}

void steps_give_way(struct companion *c)
{
	if (c->steps.phase == STEPS_BEGINS)
		steps_refuse(c, "the program goes on");
}

void steps_forget(struct companion *c)
{
	if (c->steps.request)
		dap_session_refuse(c->s, c->steps.request, "the program has ended");
	clear_step(&c->steps);
}

void steps_deinit(struct companion *c)
{
	clear_step(&c->steps);
}

/* Resuming */

static void on_continued(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;

	(void)request;
	if (c->steps.phase != STEPS_NONE && !dap_message_bool(response, "success"))
		finish_step(c, "step", "the native adapter does not go on");
}

static void run_program(struct companion *c)
{
	struct json_object *arguments = json_object_new_object();
	struct steps *s = &c->steps;

	if (s->request) {
		dap_session_answer(c->s, s->request, NULL);
		/* Clients know that the program runs during steps of DAP. */
		if (!strcmp(dap_message_name(s->request), "ompdd/step")) {
			struct json_object *body = json_object_new_object();

			dap_message_put_int(body, "threadId", s->tid);
			dap_message_put_bool(body, "allThreadsContinued", true);
			dap_session_event(c->s, "continued", body);
		}
		json_object_put(s->request);
		s->request = NULL;
		companion_ran(c);
	}
	/* Reports so far are about earlier stops. */
	json_object_put(s->other);
	s->other = NULL;
	s->has_more = false;
	dap_message_put_int(arguments, "threadId", s->tid);
	companion_ask(c, "continue", arguments, on_continued, c);
}

void steps_planted(struct companion *c, struct json_object *answer)
{
	const char *error = dap_message_string(answer, "error");

	note_own_ids(&c->steps, answer);
	if (error || !dap_message_length(dap_message_array(answer, "ids"))) {
		if (c->steps.request)
			steps_refuse(c, error ? error : "the native debugger has planted no breakpoint");
		else
			finish_step(c, "step", "the native debugger has planted no breakpoint");
	} else if (c->steps.wants_stop) {
		finish_step(c, "pause", "Paused");
	} else {
		c->steps.is_asking = false;
		run_program(c);
	}
}

void steps_expect(struct companion *c, enum steps_phase phase, uint64_t address, uint64_t cfa)
{
	struct json_object *wish = json_object_new_object();

	c->steps.phase = phase;
	c->steps.address = address;
	c->steps.cfa = cfa;
	c->steps.is_asking = true;
	dap_message_put_bool(wish, "end", true);
	steps_add_plant(wish, address, phase == STEPS_RETURN ? c->steps.tid : 0);
	steps_ask(c, wish, steps_planted);
}

static uint64_t get_number(struct json_object *answer, const char *key)
{
	return (uint64_t)dap_message_int(answer, key, 0);
}

uint64_t steps_address_of(struct json_object *place)
{
	const char *text = dap_message_string(place, "address");

	return text ? strtoull(text, NULL, 16) : 0;
}

struct json_object *steps_entry_at(const struct companion *c, struct json_object *answer)
{
	for (size_t i = 0; i < dap_message_length(c->steps.regions); i++) {
		struct json_object *place = json_object_array_get_idx(c->steps.regions, i);

		if (steps_address_of(place) == get_number(answer, "pc") && get_number(answer, "pc"))
			return dap_message_bool(answer, "inner") ? NULL : place;
	}
	return NULL;
}

const char *steps_begin_region(struct companion *c, struct json_object *place, struct json_object *answer)
{
	struct json_object *arguments = dap_message_array(answer, "arguments");
	int64_t index = dap_message_int(place, "argument", -1);
	const char *text = index >= 0 && (uint64_t)index < dap_message_length(arguments)
				   ? format_string(json_object_array_get_idx(arguments, (size_t)index))
				   : NULL;

	if (c->steps.kind == STEPS_INTO) {
		if (!text)
			return "the region's function is not to be seen";
		steps_expect(c, STEPS_MEMBERS, strtoull(text, NULL, 16), 0);
	} else {
		if (dap_message_bool(place, "begins_only") || !get_number(answer, "return"))
			return "where the region ends is not to be known here";
		steps_expect(c, STEPS_RETURN, get_number(answer, "return"), get_number(answer, "return_cfa"));
	}
	return NULL;
}

/* Members of a team */

static void release_strangers(struct companion *c, struct json_object *strangers)
{
	struct json_object *wish = json_object_new_object();

	json_object_object_add(wish, "free", strangers);
	steps_ask(c, wish, NULL);
	c->steps.is_asking = false;
	run_program(c);
}

/* Compare the threads at the function with the team in the new view. */
static void check_members(struct companion *c, const struct view *v)
{
	struct steps *s = &c->steps;
	size_t thread = v ? view_thread(v, s->tid) : OVERVIEW_NONE, n = 0;
	size_t parallel = thread == OVERVIEW_NONE ? OVERVIEW_NONE : v->s.threads[thread].parallel;

	/* Without a view from ompdd, the step cannot wait for other members. */
	if (parallel == OVERVIEW_NONE || s->wants_stop) {
		finish_step(c, s->wants_stop ? "pause" : "step", s->wants_stop ? "Paused" : "in the parallel region");
		return;
	}
	struct json_object *strangers = json_object_new_array();
	for (size_t i = 0; i < dap_message_length(s->at); i++) {
		struct json_object *one = json_object_array_get_idx(s->at, i);
		size_t other = view_thread(v, format_int(one, 0));

		if (other != OVERVIEW_NONE && v->s.threads[other].parallel == parallel)
			n++;
		else if (dap_message_length(strangers) < MAX_STRANGERS)
			json_object_array_add(strangers, json_object_get(one));
	}
	if ((int64_t)n >= dap_message_int(v->s.parallels[parallel].json, "team_size", 0)) {
		json_object_put(strangers);
		finish_step(c, "step", "all members are in the parallel region");
	} else {
		release_strangers(c, strangers);
	}
}

static void check_arrival(struct companion *c, struct json_object *answer)
{
	struct json_object *at = dap_message_array(answer, "at");
	bool has_come = false;

	for (size_t i = 0; i < dap_message_length(at); i++)
		has_come |= format_int(json_object_array_get_idx(at, i), 0) == c->steps.tid;
	if (!dap_message_int(answer, "runs", 1) && !has_come) {
		finish_step(c, "step", "nobody is left who could come to the parallel region");
	} else if (!has_come) {
		c->steps.is_asking = false;
		run_program(c);
	} else {
		json_object_put(c->steps.at);
		c->steps.at = json_object_get(at);
		debuggee_look(&c->target);
		steps_await_view(c, check_members);
	}
}

/* Stops */

static void request_state(struct companion *c);

/* End the step at a stop with another reason, and pass on that stop unchanged. */
static void finish_at_other_stop(struct companion *c)
{
	struct json_object *event = json_object_get(c->steps.other);

	if (!event) {
		finish_step(c, c->steps.wants_stop ? "pause" : "step",
			    c->steps.wants_stop ? "Paused" : "stopped on its way");
		return;
	}
	close_step(c);
	companion_stopped(c, event);
	json_object_put(event);
}

static void on_state(struct companion *c, struct json_object *answer)
{
	struct steps *s = &c->steps;
	const char *why = NULL;

	if (!answer || dap_message_string(answer, "error")) {
		finish_step(c, "step",
			    answer ? dap_message_string(answer, "error") : "the native debugger does not answer");
	} else if (!dap_message_bool(answer, "stands")) {
		bool has_more = s->has_more;

		/* That was the report of an earlier stop. */
		s->is_asking = s->has_more = false;
		if (has_more) {
			request_state(c);
		} else {
			json_object_put(s->other);
			s->other = NULL;
		}
	} else if (s->other || dap_message_bool(answer, "others") || s->wants_stop) {
		finish_at_other_stop(c);
	} else if (s->phase == STEPS_MEMBERS) {
		check_arrival(c, answer);
	} else if (s->phase == STEPS_RETURN) {
		bool is_over = get_number(answer, "pc") == s->address && get_number(answer, "cfa") == s->cfa;

		s->is_asking = false;
		if (is_over)
			finish_step(c, "step", "behind the parallel region");
		else
			run_program(c);
	} else {
		struct json_object *place = steps_entry_at(c, answer);

		s->is_asking = false;
		why = place ? steps_begin_region(c, place, answer) : NULL;
		if (why)
			finish_step(c, "step", why);
		else if (!place)
			run_program(c);
	}
}

static void request_state(struct companion *c)
{
	c->steps.is_asking = true;
	steps_ask(c, steps_look(c), on_state);
}

static bool is_own(const struct steps *s, int64_t id)
{
	for (size_t i = 0; i < s->n_own && i < STEPS_MAX_OWN; i++) {
		if (s->own[i] == id)
			return true;
	}
	return false;
}

bool steps_take_stop(struct companion *c, struct json_object *event)
{
	struct steps *s = &c->steps;
	int64_t ids[16];
	size_t n = companion_hit_ids(dap_message_get(event, "body", NULL), ids, 16);
	bool is_ours = n > 0;

	for (size_t i = 0; i < n; i++)
		is_ours &= is_own(s, ids[i]);
	/* A step that does not run yet cannot cause a stop. */
	if (s->phase <= STEPS_BEGINS)
		return is_ours;
	if (!is_ours) {
		json_object_put(s->other);
		s->other = json_object_get(event);
	}
	if (s->is_asking)
		s->has_more = true;
	else
		request_state(c);
	return true;
}

bool steps_take_pause(struct companion *c, struct json_object *request)
{
	if (c->steps.phase <= STEPS_BEGINS || !c->steps.is_asking)
		return false;
	c->steps.wants_stop = true;
	dap_session_answer(c->s, request, NULL);
	return true;
}
