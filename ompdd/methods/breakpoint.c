/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* breakpoint.*: create, list and delete breakpoints, and list the places of OpenMP events. */
#include <string.h>

#include "methods/json/json.h"
#include "methods/ompd/ompd_call.h"
#include "methods_worker.h"
#include "openmp/model/runtimes.h"
#include "rpc/json_write.h"
#include "target/modules/modules.h"
#include "worker/control/breakpoints.h"
#include "worker/worker.h"

/* The schema names the events in the order of enum event_kind. */
_Static_assert((int)BREAKPOINT_SET_EVENT_PARALLEL_BEGIN == EVENT_PARALLEL_BEGIN &&
		       (int)BREAKPOINT_SET_EVENT_TASK_BEGIN == EVENT_TASK_BEGIN &&
		       (int)BREAKPOINT_SET_EVENT_THREAD_END == EVENT_THREAD_END &&
		       (int)BREAKPOINT_SET_EVENT_OMPD_DLL_LOCATIONS_VALID == EVENT_DLL_LOCATIONS_VALID &&
		       (int)BREAKPOINT_SET_EVENT_DEVICE_END == EVENT_DEVICE_END &&
		       (int)BREAKPOINT_SET_EVENT_BARRIER_ENTER == EVENT_BARRIER_ENTER &&
		       (int)BREAKPOINT_SET_EVENT_TASK_CREATE == EVENT_TASK_CREATE &&
		       (int)BREAKPOINT_SET_EVENT_TARGET_SUBMIT == EVENT_TARGET_SUBMIT,
	       "an order");

static const char *point_name(enum event_point point)
{
	switch (point) {
	case EVENT_AT_CALL:
		return "call";
	case EVENT_AT_RETURN:
		return "return";
	case EVENT_AT_ARGUMENT_CALL:
		return "argument_call";
	case EVENT_AT_ARGUMENT_RETURN:
		break;
	}
	return "argument_return";
}

static struct json_object *place_json(struct worker *w, const struct event_place *at, bool is_learnt)
{
	struct json_object *o = json_object_new_object();
	char symbol[JSON_MAX_SYMBOL];
	uint64_t offset;

	json_put(o, "address", json_hex(at->address));
	if (at->symbol) {
		json_put(o, "function", json_object_new_string(at->symbol));
		json_put(o, "offset", json_object_new_int(0));
	} else if (target_symbol_at(w->target, at->address, symbol, sizeof(symbol), &offset)) {
		json_put(o, "function", json_function(symbol));
		json_put(o, "offset", json_object_new_int64((int64_t)offset));
	}
	json_put(o, "point", json_object_new_string(point_name(at->point)));
	if (at->point == EVENT_AT_ARGUMENT_CALL || at->point == EVENT_AT_ARGUMENT_RETURN)
		json_put(o, "argument", json_object_new_int((int)at->argument));
	if (at->runtime && runtimes_count(w->runtimes) > 1)
		json_put(o, "runtime", json_object_new_int((int)at->runtime - 1));
	if (is_learnt)
		json_put(o, "learnt", json_object_new_boolean(true));
	return o;
}

static void put_breakpoint(struct worker *w, struct json_object *o, const struct breakpoint *b)
{
	struct json_object *places = json_object_new_array_ext((int)b->n_places);

	json_put(o, "breakpoint", json_object_new_int64(b->number));
	json_put(o, "kind", json_object_new_string(breakpoint_kind_name(b->kind)));
	if (b->kind == BREAKPOINT_EVENT)
		json_put(o, "event", json_object_new_string(event_name(b->event)));
	if (b->kind == BREAKPOINT_FUNCTION)
		json_put(o, "function", json_text(b->function));
	if (b->kind == BREAKPOINT_LINE) {
		json_put(o, "file", json_text(b->function));
		json_put(o, "line", json_object_new_int(b->line));
	}
	if (b->runtime >= 0)
		json_put(o, "runtime", json_object_new_int(b->runtime));
	if (b->tid)
		json_put(o, "thread", json_object_new_int(b->tid));
	if (b->condition.has_thread_num)
		json_put(o, "thread_num", json_object_new_int64(b->condition.thread_num));
	if (b->condition.has_level)
		json_put(o, "level", json_object_new_int64(b->condition.level));
	if (b->condition.has_device)
		json_put(o, "device", json_object_new_int64(b->condition.device));
	if (b->region)
		json_put(o, "region", json_text(b->region));
	if (b->after)
		json_put(o, "after", json_object_new_int64((int64_t)b->after));
	if (b->every > 1)
		json_put(o, "every", json_object_new_int64((int64_t)b->every));
	json_put(o, "once", json_object_new_boolean(b->once));
	json_put(o, "own", json_object_new_boolean(b->client == w->client));
	json_put(o, "hits", json_object_new_int64((int64_t)b->n_hits));
	if (b->after || b->every > 1)
		json_put(o, "passed", json_object_new_int64((int64_t)breakpoints_passed(w, b)));
	if (b->n_undecided)
		json_put(o, "undecided", json_object_new_int64((int64_t)b->n_undecided));
	for (size_t i = 0; i < b->n_places; i++)
		json_object_array_add(places, place_json(w, &b->places[i].at, b->places[i].is_learnt));
	json_put(o, "places", places);
}

static struct error *refuse_params(const char *why)
{
	return error_detail(error_create(ERR_INVALID_PARAMS, "/params: %s", why), "pointer", "/params");
}

/* Convert the request, which names exactly one kind of place. */
static struct error *to_spec(const struct breakpoint_set_params *p, struct breakpoint_spec *ret)
{
	int n = p->has_event + p->has_address + (p->function != NULL) + (p->file != NULL);

	if (n != 1)
		return refuse_params("give exactly one of event, function, address, and file with line");
	if ((p->file != NULL) != p->has_line)
		return refuse_params("file and line go together");
	*ret = (struct breakpoint_spec){
		.tid = p->has_thread ? (pid_t)p->thread : 0,
		.runtime = p->has_runtime ? (int)p->runtime : -1,
		.once = p->once,
		.after = (uint64_t)p->after,
		.every = (uint64_t)p->every,
		.condition =
			{
				.has_thread_num = p->has_thread_num,
				.thread_num = p->thread_num,
				.has_level = p->has_level,
				.level = p->level,
				.has_device = p->has_device,
				.device = p->device,
				.region = p->region,
			},
	};
	if (p->has_event) {
		ret->kind = BREAKPOINT_EVENT;
		ret->event = (enum event_kind)p->event;
	} else if (p->has_address) {
		ret->kind = BREAKPOINT_ADDRESS;
		ret->address = p->address;
	} else if (p->function) {
		ret->kind = BREAKPOINT_FUNCTION;
		ret->function = p->function;
	} else {
		ret->kind = BREAKPOINT_LINE;
		ret->file = p->file;
		ret->line = (int)p->line;
	}
	return NULL;
}

static struct error *need_stop_mode(struct worker *w)
{
	struct error *err = worker_need_target(w);

	if (!err && target_mode(w->target) != TARGET_STOP)
		err = error_create(ERR_MODE_UNSUPPORTED, "breakpoints need a process in mode \"stop\"");
	return err;
}

/* Find the runtimes that are loaded by now, and check that number @index is one of them. */
static struct error *need_runtime(struct worker *w, bool has_index, int64_t index)
{
	struct model *m;

	return ompd_call_runtime(w, has_index ? index : 0, &m);
}

struct error *handle_breakpoint_set(struct worker *w, const struct breakpoint_set_params *p, struct json_object **ret)
{
	const struct breakpoint *b;
	struct breakpoint_spec spec;
	struct error *err = to_spec(p, &spec);

	if (!err)
		err = need_stop_mode(w);
	if (!err)
		err = worker_check_holder(w);
	if (!err)
		err = need_runtime(w, p->has_runtime, p->runtime);
	if (!err)
		err = breakpoints_set(w, &spec, &b);
	if (err)
		return err;
	*ret = json_result(w);
	if (!*ret)
		return &error_nomem;
	put_breakpoint(w, *ret, b);
	return NULL;
}

struct error *handle_breakpoint_delete(struct worker *w, const struct breakpoint_delete_params *p,
				       struct json_object **ret)
{
	struct error *err = need_stop_mode(w);

	if (!err)
		err = breakpoints_delete(w, (uint32_t)p->breakpoint);
	if (err)
		return err;
	*ret = json_result(w);
	return *ret ? NULL : &error_nomem;
}

struct error *handle_breakpoint_list(struct worker *w, const struct breakpoint_list_params *p, struct json_object **ret)
{
	struct json_object *array = json_object_new_array();
	struct error *err = worker_need_target(w);

	(void)p;
	*ret = err ? NULL : json_result(w);
	if (!*ret || !array) {
		json_object_put(array);
		return err ? err : &error_nomem;
	}
	for (const struct breakpoint *b = breakpoints_first(w->breakpoints); b; b = b->next) {
		struct json_object *o = json_object_new_object();

		put_breakpoint(w, o, b);
		json_object_array_add(array, o);
	}
	json_put(*ret, "breakpoints", array);
	return NULL;
}

/* Return the places where regions are entered, or why they are not known. */
static struct json_object *regions_json(struct worker *w, int only)
{
	struct event_place places[EVENTS_MAX_OF_ALL];
	size_t n;
	struct error *err = events_find_all_regions(w->runtimes, only, places, &n);
	struct json_object *ret = err ? json_reason(err) : json_object_new_array_ext((int)n);

	for (size_t i = 0; !err && i < n; i++) {
		struct json_object *o = place_json(w, &places[i], false);

		json_put(o, "argument", json_object_new_int((int)places[i].argument));
		if (!places[i].is_whole)
			json_put(o, "begins_only", json_object_new_boolean(true));
		json_object_array_add(ret, o);
	}
	error_destroy(err);
	return ret;
}

struct error *handle_breakpoint_addresses(struct worker *w, const struct breakpoint_addresses_params *p,
					  struct json_object **ret)
{
	struct event_place places[EVENTS_MAX_OF_ALL];
	struct json_object *events = json_object_new_array();
	int only = p->has_runtime ? (int)p->runtime : -1;
	struct error *err = need_runtime(w, p->has_runtime, p->runtime);
	size_t n;

	*ret = err ? NULL : json_result(w);
	if (!*ret || !events) {
		json_object_put(events);
		return err ? err : &error_nomem;
	}
	for (enum event_kind kind = 0; kind < EVENT_KINDS; kind++) {
		struct json_object *o = json_object_new_object();

		json_put(o, "event", json_object_new_string(event_name(kind)));
		err = events_find_of_all(w->runtimes, only, kind, false, places, &n);
		if (err) {
			json_put(o, "places", json_reason(err));
		} else {
			struct json_object *array = json_object_new_array_ext((int)n);
			const char *unseen = events_unseen(worker_model_of(w, places[0].runtime), kind);

			for (size_t i = 0; i < n; i++)
				json_object_array_add(array, place_json(w, &places[i], false));
			json_put(o, "places", array);
			if (unseen)
				json_put(o, "unseen", json_object_new_string(unseen));
		}
		error_destroy(err);
		json_object_array_add(events, o);
	}
	json_put(*ret, "events", events);
	json_put(*ret, "regions", regions_json(w, only));
	return NULL;
}
