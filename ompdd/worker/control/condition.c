/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A condition is evaluated from the stopped thread's own memory, as the OMPD library reads it. For a region that starts
 * at an entry point of the runtime, the entry point's arguments decide. An unknown value is never treated as true or as
 * false.
 */
#include "worker/control/condition.h"

#include <string.h>

#include "openmp/model/icv.h"
#include "openmp/model/model.h"
#include "openmp/model/region.h"
#include "openmp/model/runtimes.h"
#include "openmp/plugin/ompd.h"
#include "openmp/runtimes/body.h"
#include "openmp/runtimes/constructs.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/runtime.h"
#include "target/control.h"
#include "target/modules/modules.h"
#include "worker/context/context.h"

/* Compilers number the functions that they outline from one function. Higher numbers are not searched. */
#define MAX_NUMBER   256
#define MAX_OUTLINED 4096

static struct error *refuse_condition(const char *what, const char *why)
{
	return error_create(ERR_CONDITION_UNAVAILABLE, "%s of a thread cannot be determined here: %s", what, why);
}

/* Check whether the OMPD library can evaluate the condition. */
static struct error *check_library(struct worker *w, struct model *m, const struct condition_spec *spec,
				   bool asks_region)
{
	const struct error *why;
	const struct runtime *runtime;
	struct error *err = region_can_tell(m, w->plugin_options.timeout_ms);

	/* The program has not used OpenMP yet; it will have at the first hit. */
	if (error_catch(&err, ERR_OPENMP_NOT_STARTED))
		return NULL;
	if (err)
		return err;
	runtime = model_runtime(m, &why);
	if (spec->has_thread_num && !icv_find(model_icvs(m), "thread-num-var"))
		return refuse_condition("the number", "the OMPD library has no thread-num-var");
	if (spec->has_level && !icv_find(model_icvs(m), "levels-var"))
		return refuse_condition("the level", "the OMPD library has no levels-var");
	if (asks_region && runtime && runtime->descriptor->forgets_region_functions)
		return error_hint(
			refuse_condition("the region's function",
					 "the runtime does not store it; it is known only at the event parallel_begin"),
			"set the breakpoint at the event parallel_begin, or at a place in that function");
	return NULL;
}

/* Check whether at least one of the selected runtimes can evaluate the condition. */
static struct error *check_libraries(struct worker *w, const struct condition_spec *spec, bool asks_region, int runtime)
{
	struct error *why = NULL;

	for (size_t i = runtimes_count(w->runtimes); i-- > 0;) {
		if (runtime >= 0 && i != (size_t)runtime)
			continue;
		error_destroy(why);
		why = check_library(w, runtimes_select(w->runtimes, i), spec, asks_region);
		if (!why)
			break;
	}
	runtimes_main(w->runtimes);
	return why;
}

static void add_functions(struct condition *c, const struct functions *functions)
{
	size_t room = FUNCTIONS_MAX - c->n_regions, n = functions->n < room ? functions->n : room;

	memcpy(c->regions + c->n_regions, functions->addresses, n * sizeof(*c->regions));
	c->n_regions += n;
}

/* Add all functions with the symbol @name. */
static void add_symbol(struct worker *w, const char *name, struct condition *c)
{
	struct functions functions;
	struct target_symbol symbol;
	/* This is fast where the symbol does not exist. */
	struct error *err = target_symbol(w->target, name, NULL, &symbol);

	if (!err)
		err = functions_find(w->target, name, &functions);
	if (!err)
		add_functions(c, &functions);
	error_destroy(err);
}

/* Add the outlined functions of the constructs in function @name: compilers derive their names from that symbol. */
static void add_outlined(struct worker *w, const char *name, struct condition *c)
{
	char text[MAX_OUTLINED + 32];

	for (unsigned i = 0; i < MAX_NUMBER && c->n_regions < FUNCTIONS_MAX; i++) {
		for (unsigned scheme = 0; scheme < BODY_SCHEMES; scheme++) {
			if (body_format_name(scheme, name, i, text, sizeof(text)))
				add_symbol(w, text, c);
		}
	}
}

/* Find the region's function, or the function that contains its construct. */
static struct error *find_regions(struct worker *w, const char *name, struct condition *c)
{
	struct functions functions;
	char symbol[MAX_OUTLINED];
	uint64_t offset;
	struct error *err = functions_find(w->target, name, &functions);

	if (err && err->code != ERR_SYMBOL_NOT_FOUND)
		return err;
	if (!err)
		add_functions(c, &functions);
	if (!body_is_outlined(name) && err)
		add_outlined(w, name, c);
	for (size_t i = 0; !err && !body_is_outlined(name) && i < functions.n; i++) {
		if (target_symbol_at(w->target, functions.addresses[i], symbol, sizeof(symbol), &offset) && !offset)
			add_outlined(w, symbol, c);
	}
	if (err && !c->n_regions)
		return error_hint(
			err,
			"name a region by its function, as in a tree, or by the function that contains the construct");
	error_destroy(err);
	return NULL;
}

/* Plugins number their devices differently, so target_submit does not show the program's number. */
static bool passes_device(enum event_kind event)
{
	return event == EVENT_TARGET_BEGIN || event == EVENT_TARGET_END || event == EVENT_TARGET_DATA ||
	       event == EVENT_TARGET_DATA_END;
}

struct error *condition_create(struct worker *w, const struct condition_spec *spec, enum event_kind event, int runtime,
			       struct condition *ret)
{
	struct error *err = NULL;
	bool asks_region = spec->region && event != EVENT_PARALLEL_BEGIN;

	*ret = (struct condition){
		.has_thread_num = spec->has_thread_num,
		.has_level = spec->has_level,
		.has_device = spec->has_device,
		.thread_num = spec->thread_num,
		.level = spec->level,
		.device = spec->device,
		.runtime = runtime,
	};
	if (spec->has_device && !passes_device(event))
		return error_hint(
			error_create(ERR_CONDITION_UNAVAILABLE,
				     "the number of a device cannot be determined here: only calls for target "
				     "regions and their data pass it"),
			"use it with target_begin, target_end, target_data or target_data_end");
	if (spec->region) {
		err = find_regions(w, spec->region, ret);
		if (err)
			return err;
	}
	return spec->has_thread_num || spec->has_level || asks_region ? check_libraries(w, spec, asks_region, runtime)
								      : NULL;
}

bool condition_is_any(const struct condition *c)
{
	return !c->has_thread_num && !c->has_level && !c->has_device && !c->n_regions;
}

/* Return which argument of the call at @place is the region's function, or -1 if that is not known. */
static int region_argument(const struct event_place *place)
{
	return place->point == EVENT_AT_CALL ? events_region_argument(place->symbol) : -1;
}

bool condition_to_filter(const struct condition *c, const struct event_place *place, struct target_filter *filter)
{
	int argument = region_argument(place);

	if (c->n_regions == 1 && argument >= 0) {
		filter->has_argument = 1;
		filter->argument = (uint32_t)argument;
		filter->value = c->regions[0];
	}
	return c->has_thread_num || c->has_level || c->has_device || (c->n_regions && !filter->has_argument);
}

static bool is_region(const struct condition *c, uint64_t function)
{
	for (size_t i = 0; i < c->n_regions; i++) {
		if (c->regions[i] == function)
			return true;
	}
	return false;
}

/* Combine @so_far with one more answer. @rc: whether the value is known. @is: whether it matches. */
static enum condition_answer combine_answers(enum condition_answer so_far, int rc, bool is)
{
	if (so_far == CONDITION_NO || (rc == ompd_rc_ok && !is))
		return CONDITION_NO;
	return rc == ompd_rc_ok ? so_far : CONDITION_UNKNOWN;
}

/* The parts of a condition that the library must answer. */
struct question {
	bool asks_region, asks_device;
	pid_t tid;
};

/* Evaluate the condition in runtime @m. */
static enum condition_answer holds_in(struct worker *w, struct model *m, const struct condition *c,
				      const struct question *q)
{
	enum condition_answer answer = CONDITION_YES;
	struct region_position at;
	struct error *err = region_position(m, w->plugin_options.timeout_ms, q->tid, &at);
	/* A thread that is unknown to the runtime has no number. */
	bool is_foreign = err && err->ompd_rc == ompd_rc_unavailable;

	error_destroy(err);
	if (err)
		return is_foreign ? CONDITION_NO : CONDITION_UNKNOWN;
	if (c->has_thread_num)
		answer = combine_answers(answer, at.thread_num_rc, at.thread_num == c->thread_num);
	if (c->has_level)
		answer = combine_answers(answer, at.level_rc, at.level == c->level);
	if (q->asks_region)
		answer = combine_answers(answer, at.function_rc, is_region(c, at.function));
	if (q->asks_device)
		answer = combine_answers(answer, at.default_device_rc, at.default_device == c->device);
	return answer;
}

/* Compare the device that the call at @place uses. Sets *@asks_ret if it is the default device of the thread's task. */
static enum condition_answer is_for_device(const struct condition *c, const struct event_place *place,
					   const struct target_event *e, bool *asks_ret)
{
	int argument = place->symbol ? construct_device_argument(place->symbol) : -1;

	/* A copy has two devices. */
	if (argument < 0 || argument >= ARCH_N_ARGUMENTS || construct_is_of_device_copy(place->symbol))
		return CONDITION_UNKNOWN;
	int32_t device = (int32_t)(uint32_t)e->arguments[argument];
	*asks_ret = device == CONSTRUCT_DEVICE_DEFAULT && construct_has_default_device(place->symbol);
	return *asks_ret || device == c->device ? CONDITION_YES : CONDITION_NO;
}

enum condition_answer condition_holds(struct worker *w, const struct condition *c, const struct event_place *place,
				      const struct target_event *e)
{
	int argument = region_argument(place), only = place->runtime ? (int)place->runtime - 1 : c->runtime;
	enum condition_answer answer = CONDITION_NO;
	struct question q = {.asks_region = c->n_regions && argument < 0, .tid = e->tid};

	if (c->has_device) {
		enum condition_answer of_device = is_for_device(c, place, e, &q.asks_device);

		if (of_device != CONDITION_YES)
			return of_device;
	}
	if (c->n_regions && argument >= 0 && !is_region(c, e->arguments[argument]))
		return CONDITION_NO;
	if (!c->has_thread_num && !c->has_level && !q.asks_region && !q.asks_device)
		return CONDITION_YES;
	for (size_t i = 0; i < runtimes_count(w->runtimes) && answer != CONDITION_YES; i++) {
		if (only >= 0 && i != (size_t)only)
			continue;
		enum condition_answer one = holds_in(w, runtimes_select(w->runtimes, i), c, &q);

		answer = one == CONDITION_NO ? answer : one;
	}
	runtimes_main(w->runtimes);
	return answer;
}
