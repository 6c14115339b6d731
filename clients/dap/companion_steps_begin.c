/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The start of a step by parallel regions: the request, its preconditions, and the destination. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "companion_steps_internal.h"
#include "format.h"
#include "message.h"

/* For stepInTargets. */
#define STEP_TARGET_ID MESSAGE_OWN_IDS

bool steps_are_offered(const struct companion *c)
{
	return c->native.kind == NATIVE_LLDB;
}

/* Into and over */

static void refuse_addresses(struct companion *c, struct json_object *error)
{
	char *why = service_error_text(error);

	steps_refuse(c, why);
	free(why);
}

static void begin_step_out(struct companion *c, const struct view *v);

/* Start at the runtime's own point after the start of a region: the region is the thread's current one. */
static void begin_at_region(struct companion *c, const struct view *v)
{
	size_t thread = v ? view_thread(v, c->steps.tid) : OVERVIEW_NONE;
	size_t parallel = thread == OVERVIEW_NONE ? OVERVIEW_NONE : v->s.threads[thread].parallel;
	const char *function =
		parallel == OVERVIEW_NONE
			? NULL
			: format_string(dap_message_get(v->s.parallels[parallel].json, "function", "address", NULL));

	if (c->steps.kind != STEPS_INTO)
		begin_step_out(c, v);
	else if (!function)
		steps_refuse(c, "the function of the region that begins here is not known");
	else
		steps_expect(c, STEPS_MEMBERS, strtoull(function, NULL, 16), 0);
}

/* Return whether the thread of @answer is stopped at the runtime's own point where regions begin. */
static bool is_at_begin(const struct companion *c, struct json_object *answer)
{
	uint64_t pc = (uint64_t)dap_message_int(answer, "pc", 0);

	for (size_t i = 0; i < dap_message_length(c->steps.begins); i++) {
		if (pc && steps_address_of(json_object_array_get_idx(c->steps.begins, i)) == pc)
			return true;
	}
	return false;
}

static void on_state(struct companion *c, struct json_object *answer)
{
	const char *error = dap_message_string(answer, "error");
	struct json_object *place = steps_entry_at(c, answer), *wish;
	const char *why = NULL;

	if (!answer || error || !dap_message_bool(answer, "stands")) {
		steps_refuse(c,
			     !answer ? "the native debugger runs no Python scripts, with which it would hold threads: "
				       "\"mode\": \"stop\" needs none"
			     : error ? error
				     : "the process runs: pause it first");
		return;
	}
	if (place) {
		why = steps_begin_region(c, place, answer);
		if (why)
			steps_refuse(c, why);
		return;
	}
	if (is_at_begin(c, answer)) {
		steps_await_view(c, begin_at_region);
		return;
	}
	wish = json_object_new_object();
	for (size_t i = 0; i < dap_message_length(c->steps.regions); i++)
		steps_add_plant(wish, steps_address_of(json_object_array_get_idx(c->steps.regions, i)), c->steps.tid);
	c->steps.phase = STEPS_ENTRY;
	steps_ask(c, wish, steps_planted);
}

static struct json_object *find_places(struct json_object *result, const char *event)
{
	struct json_object *all = dap_message_array(result, "events");

	for (size_t i = 0; i < dap_message_length(all); i++) {
		struct json_object *one = json_object_array_get_idx(all, i);
		const char *name = dap_message_string(one, "event");

		if (name && !strcmp(name, event))
			return dap_message_array(one, "places");
	}
	return NULL;
}

static void on_addresses(struct companion *c, struct json_object *result)
{
	struct json_object *regions = dap_message_array(result, "regions");
	const char *why = format_string(dap_message_get(result, "regions", "message", NULL));

	if (!dap_message_length(regions)) {
		steps_refuse(c, why ? why : "this ompdd does not say where parallel regions are entered");
		return;
	}
	c->steps.regions = json_object_get(regions);
	c->steps.begins = json_object_get(find_places(result, "parallel_begin"));
	steps_load_and_ask(c, steps_look(c), on_state);
}

/* Step out */

static void on_frame(struct companion *c, struct json_object *answer)
{
	int64_t pc = dap_message_int(answer, "pc", 0), cfa = dap_message_int(answer, "cfa", 0);
	const char *error = dap_message_string(answer, "error");

	if (error || !pc || !cfa)
		steps_refuse(c, error ? error : "the native debugger does not say where the region's call returns to");
	else
		steps_expect(c, STEPS_RETURN, (uint64_t)pc, (uint64_t)cfa);
}

/* Handle the stack of the thread that encountered the region. The client named a thread of that region. */
static void on_stack(struct companion *c, struct json_object *stack)
{
	const struct view *v = c->target.is_fresh ? c->target.view : NULL;
	size_t met = v ? view_thread(v, c->steps.tid) : OVERVIEW_NONE, frame = OVERVIEW_NONE;
	struct json_object *wish;

	if (met != OVERVIEW_NONE && dap_message_length(stack) < COMPANION_MAX_FRAMES)
		frame = frames_caller(v, met, c->steps.parallel, stack);
	if (frame == OVERVIEW_NONE) {
		steps_refuse(c, "where the region was met is not to be seen on the stack of who met it");
		return;
	}
	wish = steps_look(c);
	dap_message_put_int(wish, "frame", (int64_t)frame);
	steps_load_and_ask(c, wish, on_frame);
}

static void begin_step_out(struct companion *c, const struct view *v)
{
	size_t thread = v ? view_thread(v, c->steps.tid) : OVERVIEW_NONE, met;

	if (thread == OVERVIEW_NONE || !view_in_region(v, thread)) {
		steps_refuse(c, thread == OVERVIEW_NONE ? "ompdd knows nothing of OpenMP of that thread"
							: "the thread is in no parallel region");
		return;
	}
	c->steps.parallel = v->s.threads[thread].parallel;
	met = view_who_met(v, c->steps.parallel);
	if (met == OVERVIEW_NONE) {
		steps_refuse(c, "who met the region is not to be seen");
		return;
	}
	c->steps.tid = v->s.threads[met].tid;
	steps_ask_stack(c, c->steps.tid, on_stack);
}

/* Requests */

static void begin_step(struct companion *c, const struct view *v)
{
	if (c->target.state != DEBUGGEE_READY)
		steps_refuse(c, c->target.why ? c->target.why : "ompdd does not know the process yet");
	else if (c->steps.kind == STEPS_OUT)
		begin_step_out(c, v);
	else
		steps_ask_addresses(c, on_addresses, refuse_addresses);
}

bool steps_is_target(struct json_object *request)
{
	return !strcmp(dap_message_name(request), "stepIn") &&
	       dap_message_int(dap_message_get(request, "arguments", NULL), "targetId", 0) == STEP_TARGET_ID;
}

/* Return the kind of the step in *@ret; false: not a step. */
static bool parse_kind(struct json_object *request, enum steps_kind *ret)
{
	const char *kind = dap_message_string(dap_message_get(request, "arguments", NULL), "kind");

	*ret = STEPS_INTO;
	if (steps_is_target(request) || (kind && !strcmp(kind, "into")))
		return true;
	*ret = kind && !strcmp(kind, "over") ? STEPS_OVER : STEPS_OUT;
	return kind && (!strcmp(kind, "over") || !strcmp(kind, "out"));
}

void steps_request(struct companion *c, struct json_object *request)
{
	struct steps *s = &c->steps;
	int64_t thread = dap_message_int(dap_message_get(request, "arguments", NULL), "threadId", c->pid);
	enum steps_kind kind;

	if (!parse_kind(request, &kind)) {
		dap_session_refuse(c->s, request, "ompdd/step: \"kind\" is one of into, out, over");
		return;
	}
	if (!c->has_target) {
		dap_session_refuse(c->s, request, "there is no process yet that ompdd could look at");
		return;
	}
	if (!c->has_native || !steps_are_offered(c)) {
		dap_session_refuse(c->s, request,
				   "the native adapter cannot hold some threads while others run: steps by regions are "
				   "lldb's, and ompdd's own with \"mode\": \"stop\"");
		return;
	}
	if (!c->is_stopped || s->phase != STEPS_NONE) {
		dap_session_refuse(c->s, request,
				   s->phase != STEPS_NONE ? "a step is under way" : "the process runs: pause it first");
		return;
	}
	s->phase = STEPS_BEGINS;
	s->kind = kind;
	s->tid = thread;
	s->request = json_object_get(request);
	/* The stop may have come before ompdd knows the process. */
	steps_await_view(c, begin_step);
}

static void on_targets(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;
	struct json_object *own = dap_message_copy(dap_message_get(response, "body", NULL));
	struct json_object *list = dap_message_copy_array(own, "targets"), *one = json_object_new_object();
	struct json_object *changed = dap_message_copy(response);

	dap_message_put_int(one, "id", STEP_TARGET_ID);
	dap_message_put_string(one, "label", "the next parallel region: all members come to its first line");
	json_object_array_add(list, one);
	json_object_object_add(own, "targets", list);
	json_object_object_add(changed, "body", own);
	companion_pass(c, request, changed);
	json_object_put(changed);
}

void steps_targets(struct companion *c, struct json_object *request)
{
	int64_t frame = dap_message_int(dap_message_get(request, "arguments", NULL), "frameId", -1);

	if (companion_native_can(c, "supportsStepInTargetsRequest") && !companion_label(c, frame)) {
		companion_forward(c, request, steps_are_offered(c) ? on_targets : NULL);
		return;
	}
	struct json_object *response = dap_message_response(request, json_object_new_object());

	on_targets(c, request, response);
	json_object_put(response);
}
