/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts the known places of a runtime to addresses in the target. */
#include "openmp/model/events.h"

#include <string.h>

#include "base/path.h"
#include "openmp/model/model.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/offload.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/runtimes/runtime_symbol.h"
#include "target/modules/modules.h"
#include "target/target.h"

/* A part of the runtime in a file of its own (libomptarget) also calls its own functions. */
static void set_caller_range(struct target *t, const struct runtime *runtime, struct event_place *place)
{
	const struct target_module *module = target_module_at(t, place->address);
	bool is_other = module && module->start != runtime->start && offload_is_of_runtime(module->path);

	place->caller_start = is_other ? module->start : runtime->start;
	place->caller_end = is_other ? module->end : runtime->end;
}

static void add_place(struct event_place *places, size_t *n, const struct event_place *place)
{
	/* One function may have several names. */
	for (size_t i = 0; i < *n; i++) {
		if (places[i].address == place->address && places[i].point == place->point &&
		    places[i].result == place->result)
			return;
	}
	if (*n < EVENTS_MAX_PLACES)
		places[(*n)++] = *place;
}

/* Returns the current runtime of @m, and the @file that target_symbol() needs. */
static struct error *require_runtime(struct model *m, const struct runtime **ret, const char **file_ret)
{
	const struct error *why;

	model_refresh(m);
	const struct runtime *runtime = model_runtime(m, &why);
	if (!runtime)
		return error_create(why ? why->code : ERR_NO_OPENMP_RUNTIME, "%s",
				    why ? why->message : "the process has no OpenMP runtime");
	*file_ret = runtime->is_executable ? NULL : path_file_name(runtime->path);
	*ret = runtime;
	return NULL;
}

struct error *events_check_to_come(struct model *m, enum event_kind kind)
{
	const struct runtime *runtime;
	const char *file;
	bool is_there;
	struct error *err = require_runtime(m, &runtime, &file);

	if (!err && runtime->descriptor->check_to_come)
		err = runtime->descriptor->check_to_come(runtime, kind);
	if (err || kind != EVENT_DLL_LOCATIONS_VALID ||
	    !runtime_read_variable(model_target(m), "ompd_dll_locations", file, &is_there))
		return err;
	err = error_hint(error_create(ERR_EVENT_UNAVAILABLE, "%s has started already: ompd_dll_locations is valid",
				      runtime->path),
			 "start the program with it: target.launch with stop_at \"ompd_dll_locations_valid\"");
	return error_detail(err, "event", "%s", event_name(kind));
}

static const char *find_unseen_reason(const struct runtime *runtime, enum event_kind kind)
{
	for (const struct descriptor_unseen *i = runtime->descriptor->unseen; i && i->why; i++) {
		if (i->kind == kind)
			return i->why;
	}
	return NULL;
}

const char *events_unseen(struct model *m, enum event_kind kind)
{
	const struct error *why;
	const struct runtime *runtime = model_runtime(m, &why);

	return runtime ? find_unseen_reason(runtime, kind) : NULL;
}

/* Adds @place for each plugin: all plugins have functions of the same names. */
static void add_plugin_places(struct target *t, struct event_place place, struct event_place *ret, size_t *n_ret)
{
	const struct target_module *modules;
	size_t n;
	struct error *err = target_modules(t, &modules, &n);

	for (size_t i = 0; !err && i < n; i++) {
		if (offload_is_plugin(modules[i].path) &&
		    runtime_symbol(t, place.symbol, path_file_name(modules[i].path), &place.address))
			add_place(ret, n_ret, &place);
	}
	error_destroy(err);
}

/* Adds the places of @kind from one of the descriptor's lists. */
static void add_listed_places(struct model *m, const struct runtime *runtime, const char *file, enum event_kind kind,
			      const struct descriptor_event *list, struct event_place *ret, size_t *n_ret)
{
	struct target *t = model_target(m);

	for (const struct descriptor_event *i = list; i->symbol; i++) {
		struct event_place place = {
			.symbol = i->symbol,
			.point = i->point,
			.argument = i->argument,
			.caller = i->caller,
			.argument_in_runtime = i->argument_in_runtime,
			.result = i->result,
			.word = i->word,
			.runtime = model_index(m) + 1,
		};
		/* In a static runtime, its own calls cannot be distinguished from the program's. */
		if (runtime->is_executable) {
			place.caller = EVENT_ANY_CALLER;
			place.argument_in_runtime = false;
		}
		if (i->kind != kind)
			continue;
		if (kind == EVENT_TARGET_SUBMIT) {
			add_plugin_places(t, place, ret, n_ret);
			continue;
		}
		if (!runtime_symbol(t, i->symbol, i->of_runtime ? file : NULL, &place.address))
			continue;
		set_caller_range(t, runtime, &place);
		add_place(ret, n_ret, &place);
	}
}

struct error *events_find(struct model *m, enum event_kind kind, struct event_place *ret, size_t *n_ret)
{
	struct target *t = model_target(m);
	struct event_place place = {.runtime = model_index(m) + 1};
	const struct runtime *runtime;
	const char *file;
	struct error *err = require_runtime(m, &runtime, &file);

	if (err)
		return err;
	*n_ret = 0;
	place.symbol = event_ompd_function(kind);
	if (place.symbol && runtime_symbol(t, place.symbol, file, &place.address)) {
		const char *word = runtime->descriptor->breakpoint_switch;

		if (word && kind != EVENT_DLL_LOCATIONS_VALID && runtime_symbol(t, word, file, &place.switch_address))
			place.switch_address++;
		add_place(ret, n_ret, &place);
		return runtime->descriptor->check_event ? runtime->descriptor->check_event(t, file, kind) : NULL;
	}
	for (const struct descriptor_event *const *list = runtime->descriptor->events; list && *list; list++)
		add_listed_places(m, runtime, file, kind, *list, ret, n_ret);
	if (*n_ret)
		return NULL;
	const char *why = find_unseen_reason(runtime, kind);
	return error_detail(error_create(ERR_EVENT_UNAVAILABLE, "%s (%s) has no place at which %s can be observed%s%s",
					 runtime->path, runtime->descriptor->name, event_name(kind), why ? ": " : "",
					 why ? why : ""),
			    "event", "%s", event_name(kind));
}

struct error *events_find_regions(struct model *m, struct event_place *ret, size_t *n_ret)
{
	struct target *t = model_target(m);
	const struct runtime *runtime;
	const char *file;
	struct error *err = require_runtime(m, &runtime, &file);

	if (err)
		return err;
	enum event_caller caller = runtime->is_executable ? EVENT_ANY_CALLER : EVENT_CALLER_NOT_RUNTIME;
	*n_ret = 0;
	/* One runtime may also have the entry points of another. */
	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i; i++) {
		for (const struct descriptor_region *region = (*i)->regions; region && region->symbol; region++) {
			struct event_place place = {
				.symbol = region->symbol,
				.argument = region->argument,
				.caller = caller,
				.is_whole = !region->begins_only,
				.runtime = model_index(m) + 1,
			};

			if (!runtime_symbol(t, place.symbol, file, &place.address))
				continue;
			set_caller_range(t, runtime, &place);
			add_place(ret, n_ret, &place);
		}
	}
	if (*n_ret)
		return NULL;
	return error_detail(error_create(ERR_EVENT_UNAVAILABLE,
					 "%s (%s) has no place at which parallel regions can be observed",
					 runtime->path, runtime->descriptor->name),
			    "event", "%s", event_name(EVENT_PARALLEL_BEGIN));
}

/* Appends the places of one runtime to the @*n_ret existing ones. */
typedef struct error *(*find_fn)(struct model *m, const void *arg, struct event_place *ret, size_t *n_ret);

static struct error *find_in_all_runtimes(struct runtimes *r, int only, find_fn find, const void *arg,
					  struct event_place *ret, size_t *n_ret)
{
	unsigned main_index = model_index(runtimes_main(r));
	struct error *why = NULL;

	*n_ret = 0;
	for (size_t i = 0; i < runtimes_count(r); i++) {
		struct event_place places[EVENTS_MAX_PLACES];
		size_t n = 0;

		if (only >= 0 && i != (size_t)only)
			continue;
		struct error *err = find(runtimes_select(r, i), arg, places, &n);
		if (!err) {
			memcpy(ret + *n_ret, places, n * sizeof(*places));
			*n_ret += n;
		} else if (!why || i == main_index) {
			error_destroy(why);
			why = err;
		} else {
			error_destroy(err);
		}
	}
	runtimes_main(r);
	if (!*n_ret)
		return why;
	error_destroy(why);
	return NULL;
}

struct wanted {
	enum event_kind kind;
	bool to_come;
};

static struct error *find_wanted_places(struct model *m, const void *arg, struct event_place *ret, size_t *n_ret)
{
	const struct wanted *wanted = arg;
	struct error *err = wanted->to_come ? events_check_to_come(m, wanted->kind) : NULL;

	return err ? err : events_find(m, wanted->kind, ret, n_ret);
}

struct error *events_find_of_all(struct runtimes *r, int only, enum event_kind kind, bool to_come,
				 struct event_place *ret, size_t *n_ret)
{
	return find_in_all_runtimes(r, only, find_wanted_places, &(struct wanted){kind, to_come}, ret, n_ret);
}

static struct error *find_region_places(struct model *m, const void *arg, struct event_place *ret, size_t *n_ret)
{
	(void)arg;
	return events_find_regions(m, ret, n_ret);
}

struct error *events_find_all_regions(struct runtimes *r, int only, struct event_place *ret, size_t *n_ret)
{
	return find_in_all_runtimes(r, only, find_region_places, NULL, ret, n_ret);
}

int events_region_argument(const char *symbol)
{
	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i && symbol; i++) {
		for (const struct descriptor_region *region = (*i)->regions; region && region->symbol; region++) {
			if (!strcmp(region->symbol, symbol))
				return (int)region->argument;
		}
	}
	return -1;
}

bool events_caller_counts(const struct event_place *place, uint64_t return_address)
{
	bool inside = return_address >= place->caller_start && return_address < place->caller_end;

	return place->caller == EVENT_ANY_CALLER || inside == (place->caller == EVENT_CALLER_RUNTIME);
}
