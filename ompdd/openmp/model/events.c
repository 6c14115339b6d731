/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of places, and their addresses. See events.h. */
#include "openmp/model/events.h"

#include <string.h>

#include "openmp/model/model.h"
#include "openmp/runtimes/profile.h"
#include "openmp/runtimes/runtime.h"
#include "target/target.h"

/* Bit of LLVM's ompd_state: the ompd_bp_*() are called. */
#define OMPD_ENABLE_BP 1
/* Variables of an environment; more are not looked at. */
#define MAX_ENVIRONMENT 4096

static const struct {
	const char *name;
	const char *ompd; /* the function of an OMPD runtime */
} kinds[EVENT_KINDS] = {
	[EVENT_PARALLEL_BEGIN] = {"parallel_begin", "ompd_bp_parallel_begin"},
	[EVENT_PARALLEL_END] = {"parallel_end", "ompd_bp_parallel_end"},
	[EVENT_TASK_BEGIN] = {"task_begin", "ompd_bp_task_begin"},
	[EVENT_TASK_END] = {"task_end", "ompd_bp_task_end"},
	[EVENT_THREAD_BEGIN] = {"thread_begin", "ompd_bp_thread_begin"},
	[EVENT_THREAD_END] = {"thread_end", "ompd_bp_thread_end"},
	[EVENT_DLL_LOCATIONS_VALID] = {"ompd_dll_locations_valid", "ompd_dll_locations_valid"},
	[EVENT_TEAMS_BEGIN] = {"teams_begin", "ompd_bp_teams_begin"},
	[EVENT_TEAMS_END] = {"teams_end", "ompd_bp_teams_end"},
	[EVENT_TARGET_BEGIN] = {"target_begin", "ompd_bp_target_begin"},
	[EVENT_TARGET_END] = {"target_end", "ompd_bp_target_end"},
	[EVENT_DEVICE_BEGIN] = {"device_begin", "ompd_bp_device_begin"},
	[EVENT_DEVICE_END] = {"device_end", "ompd_bp_device_end"},
};

/* libgomp calls some of its public functions itself: that is no further event. */
#define AT_CALL(kind, symbol)	{kind, symbol, EVENT_AT_CALL, 0, EVENT_CALLER_NOT_RUNTIME, false, true}
#define AT_RETURN(kind, symbol) {kind, symbol, EVENT_AT_RETURN, 0, EVENT_CALLER_NOT_RUNTIME, false, true}
/* Entry points that do the whole region, and the older ones that only begin it. */
#define WHOLE_REGION(symbol) AT_CALL(EVENT_PARALLEL_BEGIN, symbol), AT_RETURN(EVENT_PARALLEL_END, symbol)
#define REGION_START(symbol) AT_CALL(EVENT_PARALLEL_BEGIN, symbol)
/* The task may wait and be executed by another thread: its function tells when. */
#define TASK(symbol)                                                                                      \
	{EVENT_TASK_BEGIN, symbol, EVENT_AT_ARGUMENT_CALL, 0, EVENT_CALLER_NOT_RUNTIME, false, true},     \
	{EVENT_TASK_END, symbol, EVENT_AT_ARGUMENT_RETURN, 0, EVENT_CALLER_NOT_RUNTIME, false, true}

static const struct {
	enum event_kind kind;
	const char *symbol;
	enum event_point point;
	unsigned argument;
	enum event_caller caller;
	bool argument_in_runtime;
	bool of_runtime; /* else of any module */
} gomp[] = {
	WHOLE_REGION("GOMP_parallel"),
	WHOLE_REGION("GOMP_parallel_reductions"),
	WHOLE_REGION("GOMP_parallel_sections"),
	WHOLE_REGION("GOMP_parallel_loop_static"),
	WHOLE_REGION("GOMP_parallel_loop_dynamic"),
	WHOLE_REGION("GOMP_parallel_loop_guided"),
	WHOLE_REGION("GOMP_parallel_loop_runtime"),
	WHOLE_REGION("GOMP_parallel_loop_nonmonotonic_dynamic"),
	WHOLE_REGION("GOMP_parallel_loop_nonmonotonic_guided"),
	WHOLE_REGION("GOMP_parallel_loop_nonmonotonic_runtime"),
	WHOLE_REGION("GOMP_parallel_loop_maybe_nonmonotonic_runtime"),
	REGION_START("GOMP_parallel_start"),
	REGION_START("GOMP_parallel_sections_start"),
	REGION_START("GOMP_parallel_loop_static_start"),
	REGION_START("GOMP_parallel_loop_dynamic_start"),
	REGION_START("GOMP_parallel_loop_guided_start"),
	REGION_START("GOMP_parallel_loop_runtime_start"),
	AT_RETURN(EVENT_PARALLEL_END, "GOMP_parallel_end"),
	TASK("GOMP_task"),
	TASK("GOMP_taskloop"),
	TASK("GOMP_taskloop_ull"),
	/* The function of a new thread is libgomp's own and has no name. */
	{EVENT_THREAD_BEGIN, "pthread_create", EVENT_AT_ARGUMENT_CALL, 2, EVENT_CALLER_RUNTIME, true, false},
	{EVENT_THREAD_END, "pthread_create", EVENT_AT_ARGUMENT_RETURN, 2, EVENT_CALLER_RUNTIME, true, false},
	{EVENT_THREAD_END, "pthread_exit", EVENT_AT_CALL, 0, EVENT_CALLER_RUNTIME, false, false},
	/* Within target regions a league has no call of its own that would be behind it. */
	AT_CALL(EVENT_TEAMS_BEGIN, "GOMP_teams_reg"),
	AT_RETURN(EVENT_TEAMS_END, "GOMP_teams_reg"),
	AT_CALL(EVENT_TARGET_BEGIN, "GOMP_target_ext"),
	AT_CALL(EVENT_TARGET_BEGIN, "GOMP_target"),
	AT_RETURN(EVENT_TARGET_END, "GOMP_target_ext"),
	AT_RETURN(EVENT_TARGET_END, "GOMP_target"),
};

const char *events_name(enum event_kind kind)
{
	return kinds[kind].name;
}

static void add(struct event_place *places, size_t *n, const struct event_place *place)
{
	/* Several names of one function. */
	for (size_t i = 0; i < *n; i++) {
		if (places[i].address == place->address && places[i].point == place->point)
			return;
	}
	if (*n < EVENTS_MAX_PLACES)
		places[(*n)++] = *place;
}

/* False: there is no such function. */
static bool look_up(struct target *t, const char *name, const char *file, uint64_t *ret)
{
	struct target_symbol sym;
	struct error *err = target_symbol(t, name, file, &sym);

	if (err || sym.is_tls) {
		error_destroy(err);
		return false;
	}
	*ret = sym.address;
	return true;
}

/* The runtime of @m as it is now, and the @file that target_symbol() wants. */
static struct error *need_runtime(struct model *m, const struct runtime **ret, const char **file_ret)
{
	const struct error *why;

	model_look_again(m);
	const struct runtime *runtime = model_runtime(m, &why);
	if (!runtime)
		return error_create(why ? why->code : ERR_NO_OPENMP_RUNTIME, "%s",
				    why ? why->message : "the process has no OpenMP runtime");
	const char *slash = strrchr(runtime->path, '/');
	*file_ret = runtime->is_executable ? NULL : slash ? slash + 1 : runtime->path;
	*ret = runtime;
	return NULL;
}

/* 0 also when there is no such variable. */
static uint64_t read_variable(struct target *t, const char *name, const char *file, bool *ret)
{
	uint64_t address, value;

	*ret = false;
	if (!look_up(t, name, file, &address))
		return 0;
	struct error *err = target_read(t, address, &value, sizeof(value));

	*ret = !err;
	error_destroy(err);
	return *ret ? value : 0;
}

/* Whether the program was told so by its environment; false also when that cannot be read. */
static bool has_omp_debug(struct target *t)
{
	static const char wanted[] = "OMP_DEBUG=enabled";
	bool is_there;
	uint64_t at = read_variable(t, "environ", "libc.", &is_there), string;

	for (size_t i = 0; at && i < MAX_ENVIRONMENT; i++) {
		char text[sizeof(wanted)];
		struct error *err = target_read(t, at + i * sizeof(string), &string, sizeof(string));

		if (!err && !string)
			return false;
		if (!err)
			err = target_read(t, string, text, sizeof(text));
		if (!err && !memcmp(text, wanted, sizeof(wanted)))
			return true;
		error_destroy(err);
	}
	return false;
}

struct error *events_check_to_come(struct model *m, enum event_kind kind)
{
	const struct runtime *runtime;
	const char *file;
	bool is_there;
	struct error *err = need_runtime(m, &runtime, &file);

	if (!err && runtime->profile == &profile_omprt && (kind == EVENT_DEVICE_BEGIN || kind == EVENT_DEVICE_END)) {
		err = error_hint(error_create(ERR_EVENT_UNAVAILABLE, "%s has no device but the host", runtime->path),
				 "target_begin and target_end are those of regions that the host executes");
		return error_detail(err, "event", "%s", kinds[kind].name);
	}
	if (err || kind != EVENT_DLL_LOCATIONS_VALID ||
	    !read_variable(model_target(m), "ompd_dll_locations", file, &is_there))
		return err;
	err = error_hint(error_create(ERR_EVENT_UNAVAILABLE, "%s has begun already: ompd_dll_locations is valid",
				      runtime->path),
			 "start the program with it: target.launch with stop_at \"ompd_dll_locations_valid\"");
	return error_detail(err, "event", "%s", kinds[kind].name);
}

/*
 * LLVM's runtime decides when it starts whether it ever calls these functions, and calls ompd_dll_locations_valid() just then. Why
 * @kind will never be seen, or NULL.
 */
static struct error *check_llvm(struct target *t, const char *file, enum event_kind kind)
{
	bool knows_state, knows_locations;
	bool is_on = read_variable(t, "ompd_state", file, &knows_state) & OMPD_ENABLE_BP;
	bool has_begun = read_variable(t, "ompd_dll_locations", file, &knows_locations) != 0;
	struct error *err = NULL;

	if (kind != EVENT_DLL_LOCATIONS_VALID && knows_state && knows_locations && !is_on &&
		 (has_begun || !has_omp_debug(t)))
		err = error_hint(error_create(ERR_EVENT_UNAVAILABLE,
					      "LLVM's runtime calls %s() only if OMP_DEBUG=enabled was in the "
					      "environment when it started",
					      kinds[kind].ompd),
				 "start the program with OMP_DEBUG=enabled, or give a function: __kmpc_fork_call");
	return error_detail(err, "event", "%s", kinds[kind].name);
}

struct error *events_find(struct model *m, enum event_kind kind, struct event_place *ret, size_t *n_ret)
{
	struct target *t = model_target(m);
	struct event_place place = {0};
	const struct runtime *runtime;
	const char *file;
	struct error *err = need_runtime(m, &runtime, &file);

	if (err)
		return err;
	*n_ret = 0;
	place.symbol = kinds[kind].ompd;
	if (look_up(t, place.symbol, file, &place.address)) {
		/*
		 * Ours calls them only while this word is not 0. The program may set its first byte itself (OMP_DEBUG,
		 * omp_debug_enable()), and keeps it; the second is the debugger's.
		 */
		if (kind != EVENT_DLL_LOCATIONS_VALID && look_up(t, "ompd_breakpoints", file, &place.switch_address))
			place.switch_address++;
		add(ret, n_ret, &place);
		return runtime->profile == &profile_libomp ? check_llvm(t, file, kind) : NULL;
	}
	for (size_t i = 0; i < sizeof(gomp) / sizeof(gomp[0]) && runtime->profile == &profile_libgomp; i++) {
		place = (struct event_place){
			.symbol = gomp[i].symbol,
			.point = gomp[i].point,
			.argument = gomp[i].argument,
			.caller = gomp[i].caller,
			.argument_in_runtime = gomp[i].argument_in_runtime,
		};
		/* Within one executable nobody can tell the runtime's own calls from others. */
		if (runtime->is_executable) {
			place.caller = EVENT_ANY_CALLER;
			place.argument_in_runtime = false;
		}
		if (gomp[i].kind == kind &&
		    look_up(t, gomp[i].symbol, gomp[i].of_runtime ? file : NULL, &place.address))
			add(ret, n_ret, &place);
	}
	if (*n_ret)
		return NULL;
	return error_detail(error_create(ERR_EVENT_UNAVAILABLE, "%s (%s) has no place where %s could be seen",
					 runtime->path, runtime->profile->name, kinds[kind].name),
			    "event", "%s", kinds[kind].name);
}

/* Whose functions get the region's function as an argument: GNU's entry points, which LLVM's runtime has too, and LLVM's. */
static const struct {
	const char *symbol;
	unsigned argument;
} llvm_regions[] = {{"__kmpc_fork_call", 2}, {"__kmpc_fork_call_if", 2}};

struct error *events_find_regions(struct model *m, struct event_place *ret, size_t *n_ret)
{
	struct target *t = model_target(m);
	const struct runtime *runtime;
	const char *file;
	struct error *err = need_runtime(m, &runtime, &file);

	if (err)
		return err;
	enum event_caller caller = runtime->is_executable ? EVENT_ANY_CALLER : EVENT_CALLER_NOT_RUNTIME;
	*n_ret = 0;
	for (size_t i = 0; i < sizeof(gomp) / sizeof(gomp[0]); i++) {
		struct event_place place = {.symbol = gomp[i].symbol, .argument = 0, .caller = caller};

		if (gomp[i].kind == EVENT_PARALLEL_BEGIN && look_up(t, place.symbol, file, &place.address))
			add(ret, n_ret, &place);
	}
	for (size_t i = 0; i < sizeof(llvm_regions) / sizeof(llvm_regions[0]); i++) {
		struct event_place place = {
			.symbol = llvm_regions[i].symbol,
			.argument = llvm_regions[i].argument,
			.caller = caller,
		};

		if (look_up(t, place.symbol, file, &place.address))
			add(ret, n_ret, &place);
	}
	if (*n_ret)
		return NULL;
	return error_detail(error_create(ERR_EVENT_UNAVAILABLE, "%s (%s) has no place where parallel regions could be "
								"seen",
					 runtime->path, runtime->profile->name),
			    "event", "%s", kinds[EVENT_PARALLEL_BEGIN].name);
}

bool events_caller_counts(struct model *m, enum event_caller caller, uint64_t return_address)
{
	const struct error *why;
	const struct runtime *runtime = model_runtime(m, &why);
	bool inside = runtime && return_address >= runtime->start && return_address < runtime->end;

	return caller == EVENT_ANY_CALLER || inside == (caller == EVENT_CALLER_RUNTIME);
}
