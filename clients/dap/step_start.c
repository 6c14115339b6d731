/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From the client's request to the first breakpoint of a step. */
#include "step_start.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "events.h"
#include "format.h"
#include "frames.h"
#include "message.h"

/* Frames of the encountering thread that are examined. A deeper stack may be cut. */
#define MAX_FRAMES 512
/* For stepInTargets. */
#define STEP_TARGET_ID MESSAGE_OWN_IDS

/* Into and over */

static void refuse_addresses(void *arg, struct json_object *error)
{
	struct steps *s = arg;
	char *why = service_error_text(error);

	steps_refuse(s, why);
	free(why);
}

static void begin_step_out(void *arg, const struct view *v);

/* Start at the runtime's own point after the start of a region: the region is the thread's current one. */
static void begin_at_region(void *arg, const struct view *v)
{
	struct steps *s = arg;
	size_t thread = v ? view_thread(v, s->tid) : FACTS_NONE;
	size_t parallel = thread == FACTS_NONE ? FACTS_NONE : v->s.threads[thread].parallel;
	const char *function =
		parallel == FACTS_NONE
			? NULL
			: json_read_string(dap_message_get(v->s.parallels[parallel].json, "function", "address", NULL));

	if (s->kind != STEPS_INTO)
		begin_step_out(s, v);
	else if (!function)
		steps_refuse(s, "cannot step into the region: its function is not known");
	else
		steps_expect(s, STEPS_MEMBERS, strtoull(function, NULL, 16), 0);
}

/* Return whether the thread of @answer is stopped at the runtime's own point where regions begin. */
static bool is_at_begin(const struct steps *s, struct json_object *answer)
{
	uint64_t pc = (uint64_t)dap_message_int(answer, "pc", 0);

	for (size_t i = 0; i < dap_message_length(s->begins); i++) {
		if (pc && step_script_address(json_object_array_get_idx(s->begins, i)) == pc)
			return true;
	}
	return false;
}

static void on_state(void *arg, struct json_object *answer)
{
	struct steps *s = arg;
	const char *error = dap_message_string(answer, "error");
	struct json_object *place = steps_entry_at(s, answer), *query;
	const char *why = NULL;

	if (!answer || error || !dap_message_bool(answer, "stands")) {
		steps_refuse(
			s,
			!answer ? "cannot step: the native debugger does not run Python scripts; use \"mode\": \"stop\""
			: error ? error
				: "cannot step: the process runs; pause it first");
		return;
	}
	if (place) {
		why = steps_begin_region(s, place, answer);
		if (why)
			steps_refuse(s, why);
		return;
	}
	if (is_at_begin(s, answer)) {
		step_script_await_view(&s->script, begin_at_region);
		return;
	}
	query = json_object_new_object();
	for (size_t i = 0; i < dap_message_length(s->regions); i++)
		step_script_add_plant(query, step_script_address(json_object_array_get_idx(s->regions, i)), s->tid);
	s->phase = STEPS_ENTRY;
	step_script_ask(&s->script, query, steps_planted);
}

static void on_addresses(void *arg, struct json_object *result)
{
	struct steps *s = arg;
	struct json_object *regions = dap_message_array(result, "regions");
	const char *why = json_read_string(dap_message_get(result, "regions", "message", NULL));

	if (!dap_message_length(regions)) {
		steps_refuse(s, why ? why : "cannot step: this ompdd does not report the entry points of regions");
		return;
	}
	s->regions = json_object_get(regions);
	s->begins = json_object_get(events_places(result, events_number("parallel_begin")));
	step_script_load_and_ask(&s->script, steps_create_query(s), on_state);
}

/* Step out */

static void on_frame(void *arg, struct json_object *answer)
{
	struct steps *s = arg;
	int64_t pc = dap_message_int(answer, "pc", 0), cfa = dap_message_int(answer, "cfa", 0);
	const char *error = dap_message_string(answer, "error");

	if (error || !pc || !cfa)
		steps_refuse(s, error ? error
				      : "cannot step out: the native debugger does not report the return address of "
					"the region");
	else
		steps_expect(s, STEPS_RETURN, (uint64_t)pc, (uint64_t)cfa);
}

/* Handle the stack of the thread that encountered the region. The client named a thread of that region. */
static void on_stack(void *arg, struct json_object *stack)
{
	struct steps *s = arg;
	const struct view *v = debuggee_view(s->script.target);
	size_t encountering = v ? view_thread(v, s->tid) : FACTS_NONE, frame = FACTS_NONE;
	struct json_object *query;

	if (encountering != FACTS_NONE && dap_message_length(stack) < MAX_FRAMES)
		frame = frames_caller(v, encountering, s->parallel, stack);
	if (frame == FACTS_NONE) {
		steps_refuse(s, "cannot step out: the call site of the region is not visible on the encountering "
				"thread's stack");
		return;
	}
	query = steps_create_query(s);
	dap_message_put_int(query, "frame", (int64_t)frame);
	step_script_load_and_ask(&s->script, query, on_frame);
}

static void begin_step_out(void *arg, const struct view *v)
{
	struct steps *s = arg;
	size_t thread = v ? view_thread(v, s->tid) : FACTS_NONE, encountering;

	if (thread == FACTS_NONE || !view_in_region(v, thread)) {
		steps_refuse(s, thread == FACTS_NONE ? "cannot step out: the thread is not an OpenMP thread"
						     : "cannot step out: the thread is in no parallel region");
		return;
	}
	s->parallel = v->s.threads[thread].parallel;
	encountering = view_encountering_thread(v, s->parallel);
	if (encountering == FACTS_NONE) {
		steps_refuse(s, "cannot step out: the encountering thread of the region is not known");
		return;
	}
	s->tid = v->s.threads[encountering].tid;
	step_script_request_stack(&s->script, s->tid, MAX_FRAMES, on_stack);
}

/* Requests */

static void begin_step(void *arg, const struct view *v)
{
	struct steps *s = arg;
	if (s->script.target->state != DEBUGGEE_READY)
		steps_refuse(s, s->script.target->why ? s->script.target->why
						      : "cannot step: ompdd is not attached to the process yet");
	else if (s->kind == STEPS_OUT)
		begin_step_out(s, v);
	else
		step_script_request_addresses(&s->script, on_addresses, refuse_addresses);
}

static bool is_target(struct json_object *request)
{
	return !strcmp(dap_message_name(request), "stepIn") &&
	       dap_message_int(dap_message_get(request, "arguments", NULL), "targetId", 0) == STEP_TARGET_ID;
}

bool step_start_handles(struct json_object *request)
{
	return !strcmp(dap_message_name(request), "ompdd/step") || is_target(request);
}

/* Return the kind of the step in *@ret; false: not a step. */
static bool parse_kind(struct json_object *request, enum steps_kind *ret)
{
	const char *kind = dap_message_string(dap_message_get(request, "arguments", NULL), "kind");

	*ret = STEPS_INTO;
	if (is_target(request) || (kind && !strcmp(kind, "into")))
		return true;
	*ret = kind && !strcmp(kind, "over") ? STEPS_OVER : STEPS_OUT;
	return kind && (!strcmp(kind, "over") || !strcmp(kind, "out"));
}

void step_start_request(struct steps *s, struct json_object *request)
{
	const struct debuggee *target = s->script.target;
	int64_t thread = dap_message_int(dap_message_get(request, "arguments", NULL), "threadId", target->pid);
	const struct adapter *adapter = s->script.adapter;
	enum steps_kind kind;

	if (!parse_kind(request, &kind)) {
		dap_client_refuse(s->client, request, "ompdd/step: \"kind\" must be one of into, out, over");
		return;
	}
	if (!debuggee_is_open(target)) {
		dap_client_refuse(s->client, request, "cannot step: no process is debugged yet");
		return;
	}
	if (!adapter->is_open || !adapter_is_lldb(adapter)) {
		dap_client_refuse(
			s->client, request,
			"cannot step by regions: the native adapter is not lldb's, which can hold single threads; use "
			"lldb, or \"mode\": \"stop\"");
		return;
	}
	if (!target->is_stopped || s->phase != STEPS_NONE) {
		dap_client_refuse(s->client, request,
				  s->phase != STEPS_NONE ? "a step is under way"
							 : "cannot step: the process runs; pause it first");
		return;
	}
	s->phase = STEPS_BEGINS;
	s->kind = kind;
	s->tid = thread;
	s->request = json_object_get(request);
	/* The stop may have come before ompdd knows the process. */
	step_script_await_view(&s->script, begin_step);
}

struct json_object *step_start_create_target(int64_t id)
{
	struct json_object *target = json_object_new_object();

	dap_message_put_int(target, "id", id);
	dap_message_put_string(target, "label", "the next parallel region: all members stop at its first line");
	return target;
}

static void on_targets(void *arg, struct json_object *request, struct json_object *response)
{
	struct steps *s = arg;
	struct json_object *own = dap_message_copy(dap_message_get(response, "body", NULL));
	struct json_object *list = dap_message_copy_array(own, "targets");

	json_object_array_add(list, step_start_create_target(STEP_TARGET_ID));
	json_object_object_add(own, "targets", list);
	dap_client_pass_changed(s->client, request, response, own);
}

void step_start_list_targets(struct steps *s, struct json_object *request, bool is_native)
{
	struct json_object *response;

	if (is_native) {
		adapter_forward(s->script.adapter, request, on_targets, s);
		return;
	}
	response = dap_message_response(request, NULL);
	on_targets(s, request, response);
	json_object_put(response);
}
