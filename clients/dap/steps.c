/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A step has the same phases as ompdd's own step (ompdd/worker/control/step.c). First the thread gets to an entry point
 * of the runtime, whose argument is the region's function. A thread at that function is held while the others run,
 * until the team is complete. Each stop of ours is followed by a query, because a debugger may report one stop
 * several times.
 */
#include "steps.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"

/* Most threads at the function that are not members of the team. */
#define MAX_STRANGERS 1024

struct json_object *steps_create_query(const struct steps *s)
{
	struct json_object *query = json_object_new_object();

	dap_message_put_int(query, "thread", s->tid);
	if (s->phase == STEPS_MEMBERS)
		dap_message_put_int(query, "hold", (int64_t)s->address);
	return query;
}

static void note_own_ids(struct steps *s, struct json_object *answer)
{
	struct json_object *ids = dap_message_array(answer, "ids");

	for (size_t i = 0; i < dap_message_length(ids); i++)
		s->own[s->n_own++ % STEPS_MAX_OWN] = json_read_int(json_object_array_get_idx(ids, i), 0);
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
	step_script_forget(&s->script);
}

/* Remove planted breakpoints and held threads. Later requests of the client come after that. */
static void close_step(struct steps *s)
{
	if (s->script.is_loaded) {
		struct json_object *query = json_object_new_object();

		dap_message_put_bool(query, "end", true);
		step_script_ask(&s->script, query, NULL);
	}
	clear_step(s);
}

/* End the step: the program is stopped, and the client is notified. */
static void finish_step(struct steps *s, const char *reason, const char *description)
{
	struct json_object *event = dap_message_event("stopped", dap_message_stopped_body(reason, description, s->tid));

	close_step(s);
	s->stopped(s->arg, event);
	json_object_put(event);
}

void steps_refuse(struct steps *s, const char *why)
{
	if (s->request)
		dap_client_refuse(s->client, s->request, why);
	close_step(s);
}

void steps_give_way(struct steps *s)
{
	if (s->phase == STEPS_BEGINS)
		steps_refuse(s, "cannot step: the program was resumed");
}

void steps_forget(struct steps *s)
{
	if (s->request)
		dap_client_refuse(s->client, s->request, "cannot step: the program has exited");
	clear_step(s);
}

void steps_deinit(struct steps *s)
{
	clear_step(s);
}

/* Resuming */

static void on_continued(void *arg, struct json_object *request, struct json_object *response)
{
	struct steps *s = arg;

	(void)request;
	if (s->phase != STEPS_NONE && !dap_message_bool(response, "success"))
		finish_step(s, "step", "cannot step: the native adapter does not resume the program");
}

/* Answer the client's request for the step: the step runs. */
static void answer_request(struct steps *s)
{
	dap_client_answer(s->client, s->request, NULL);
	/* Clients know that the program runs during steps of DAP. */
	if (!strcmp(dap_message_name(s->request), "ompdd/step")) {
		struct json_object *body = json_object_new_object();

		dap_message_put_int(body, "threadId", s->tid);
		dap_message_put_bool(body, "allThreadsContinued", true);
		dap_client_send_event(s->client, "continued", body);
	}
	json_object_put(s->request);
	s->request = NULL;
}

static void run_program(struct steps *s)
{
	s->is_asking = false;
	if (s->request) {
		answer_request(s);
		s->resumes(s->arg);
	}
	/* Reports so far are about earlier stops. */
	json_object_put(s->other);
	s->other = NULL;
	s->has_more = false;
	adapter_continue(s->script.adapter, s->tid, on_continued, s);
}

void steps_planted(void *arg, struct json_object *answer)
{
	struct steps *s = arg;
	const char *error = dap_message_string(answer, "error");

	note_own_ids(s, answer);
	if (error || !dap_message_length(dap_message_array(answer, "ids"))) {
		if (s->request)
			steps_refuse(s, error ? error : "cannot step: the native debugger has set no breakpoint");
		else
			finish_step(s, "step", "cannot step: the native debugger has set no breakpoint");
	} else if (s->wants_stop) {
		finish_step(s, "pause", "Paused");
	} else {
		run_program(s);
	}
}

void steps_expect(struct steps *s, enum steps_phase phase, uint64_t address, uint64_t cfa)
{
	struct json_object *query = json_object_new_object();

	s->phase = phase;
	s->address = address;
	s->cfa = cfa;
	s->is_asking = true;
	dap_message_put_bool(query, "end", true);
	step_script_add_plant(query, address, phase == STEPS_RETURN ? s->tid : 0);
	step_script_ask(&s->script, query, steps_planted);
}

static uint64_t get_number(struct json_object *answer, const char *key)
{
	return (uint64_t)dap_message_int(answer, key, 0);
}

struct json_object *steps_entry_at(const struct steps *s, struct json_object *answer)
{
	for (size_t i = 0; i < dap_message_length(s->regions); i++) {
		struct json_object *place = json_object_array_get_idx(s->regions, i);

		if (step_script_address(place) == get_number(answer, "pc") && get_number(answer, "pc"))
			return dap_message_bool(answer, "inner") ? NULL : place;
	}
	return NULL;
}

const char *steps_begin_region(struct steps *s, struct json_object *place, struct json_object *answer)
{
	struct json_object *arguments = dap_message_array(answer, "arguments");
	int64_t index = dap_message_int(place, "argument", -1);
	const char *text = index >= 0 && (uint64_t)index < dap_message_length(arguments)
				   ? json_read_string(json_object_array_get_idx(arguments, (size_t)index))
				   : NULL;

	if (s->kind == STEPS_INTO) {
		if (!text)
			return "cannot step into the region: its function is not known";
		steps_expect(s, STEPS_MEMBERS, strtoull(text, NULL, 16), 0);
	} else {
		if (dap_message_bool(place, "begins_only") || !get_number(answer, "return"))
			return "cannot step over the region: its end is not known here";
		steps_expect(s, STEPS_RETURN, get_number(answer, "return"), get_number(answer, "return_cfa"));
	}
	return NULL;
}

/* Members of a team */

static void release_strangers(struct steps *s, struct json_object *strangers)
{
	struct json_object *query = json_object_new_object();

	json_object_object_add(query, "free", strangers);
	step_script_ask(&s->script, query, NULL);
	run_program(s);
}

/* Compare the threads at the function with the team in the new view. */
static void check_members(void *arg, const struct view *v)
{
	struct steps *s = arg;
	size_t thread = v ? view_thread(v, s->tid) : FACTS_NONE, n = 0;
	size_t parallel = thread == FACTS_NONE ? FACTS_NONE : v->s.threads[thread].parallel;

	/* Without a view from ompdd, the step cannot wait for other members. */
	if (parallel == FACTS_NONE || s->wants_stop) {
		finish_step(s, s->wants_stop ? "pause" : "step", s->wants_stop ? "Paused" : "in the parallel region");
		return;
	}
	struct json_object *strangers = json_object_new_array();
	for (size_t i = 0; i < dap_message_length(s->at); i++) {
		struct json_object *one = json_object_array_get_idx(s->at, i);
		size_t other = view_thread(v, json_read_int(one, 0));

		if (other != FACTS_NONE && v->s.threads[other].parallel == parallel)
			n++;
		else if (dap_message_length(strangers) < MAX_STRANGERS)
			json_object_array_add(strangers, json_object_get(one));
	}
	if ((int64_t)n >= dap_message_int(v->s.parallels[parallel].json, "team_size", 0)) {
		json_object_put(strangers);
		finish_step(s, "step", "all members are in the parallel region");
	} else {
		release_strangers(s, strangers);
	}
}

static void check_arrival(struct steps *s, struct json_object *answer)
{
	struct json_object *at = dap_message_array(answer, "at");
	bool has_come = false;

	for (size_t i = 0; i < dap_message_length(at); i++)
		has_come |= json_read_int(json_object_array_get_idx(at, i), 0) == s->tid;
	if (!dap_message_int(answer, "runs", 1) && !has_come) {
		finish_step(s, "step", "stopped: no running thread is left that could enter the parallel region");
	} else if (!has_come) {
		run_program(s);
	} else {
		json_object_put(s->at);
		s->at = json_object_get(at);
		debuggee_sample(s->script.target);
		step_script_await_view(&s->script, check_members);
	}
}

/* Stops */

static void request_state(struct steps *s);

/* End the step at a stop with another reason, and pass on that stop unchanged. */
static void finish_at_other_stop(struct steps *s)
{
	struct json_object *event = json_object_get(s->other);

	if (!event) {
		finish_step(s, s->wants_stop ? "pause" : "step",
			    s->wants_stop ? "Paused" : "stopped before the step was finished");
		return;
	}
	close_step(s);
	s->stopped(s->arg, event);
	json_object_put(event);
}

static void on_state(void *arg, struct json_object *answer)
{
	struct steps *s = arg;
	const char *why = NULL;

	if (!answer || dap_message_string(answer, "error")) {
		finish_step(s, "step",
			    answer ? dap_message_string(answer, "error")
				   : "cannot step: the native debugger does not answer");
	} else if (!dap_message_bool(answer, "stands")) {
		bool has_more = s->has_more;

		/* That was the report of an earlier stop. */
		s->is_asking = s->has_more = false;
		if (has_more) {
			request_state(s);
		} else {
			json_object_put(s->other);
			s->other = NULL;
		}
	} else if (s->other || dap_message_bool(answer, "others") || s->wants_stop) {
		finish_at_other_stop(s);
	} else if (s->phase == STEPS_MEMBERS) {
		check_arrival(s, answer);
	} else if (s->phase == STEPS_RETURN) {
		bool is_over = get_number(answer, "pc") == s->address && get_number(answer, "cfa") == s->cfa;

		s->is_asking = false;
		if (is_over)
			finish_step(s, "step", "after the parallel region");
		else
			run_program(s);
	} else {
		struct json_object *place = steps_entry_at(s, answer);

		s->is_asking = false;
		why = place ? steps_begin_region(s, place, answer) : NULL;
		if (why)
			finish_step(s, "step", why);
		else if (!place)
			run_program(s);
	}
}

static void request_state(struct steps *s)
{
	s->is_asking = true;
	step_script_ask(&s->script, steps_create_query(s), on_state);
}

static bool is_own(const struct steps *s, int64_t id)
{
	for (size_t i = 0; i < s->n_own && i < STEPS_MAX_OWN; i++) {
		if (s->own[i] == id)
			return true;
	}
	return false;
}

bool steps_take_stop(struct steps *s, struct json_object *event)
{
	int64_t ids[16];
	size_t n = adapter_hit_breakpoints(dap_message_get(event, "body", NULL), ids, 16);
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
		request_state(s);
	return true;
}

bool steps_take_pause(struct steps *s, struct json_object *request)
{
	if (s->phase <= STEPS_BEGINS || !s->is_asking)
		return false;
	s->wants_stop = true;
	dap_client_answer(s->client, request, NULL);
	return true;
}
