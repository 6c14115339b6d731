/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * LLVM's libomp, and Intel's runtime, which is built from it. Our own OMPD library reads it as it is. LLVM's OMPD
 * library is used where it can be loaded: it needs symbols that distributions strip, and has faults (quirks_llvm.c).
 * libomp also has libgomp's entry points, and can be installed in libgomp's place.
 */
#include <stddef.h>
#include <string.h>

#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/entries.h"
#include "openmp/runtimes/quirks/quirks_llvm.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/runtimes/runtime_symbol.h"
#include "target/target.h"

/* Bit of LLVM's ompd_state: the runtime calls the ompd_bp_*() functions. */
#define OMPD_ENABLE_BP 1
/* Variables of an environment; later ones are ignored. */
#define MAX_ENVIRONMENT 4096

static const char *const file_names[] = {"libomp", "libiomp5", NULL};

/* kmp.h and omptarget.h. */
static const struct descriptor_construct constructs[] = {
	{"__kmpc_fork_call", CONSTRUCT_PARALLEL},
	{"__kmpc_serialized_parallel", CONSTRUCT_PARALLEL},
	{"__kmpc_end_serialized_parallel", CONSTRUCT_PARALLEL},
	{"__kmpc_fork_teams", CONSTRUCT_TEAMS},
	{"__kmpc_barrier", CONSTRUCT_BARRIER},
	{"__kmpc_cancel_barrier", CONSTRUCT_BARRIER},
	{"__kmpc_critical", CONSTRUCT_CRITICAL},
	{"__kmpc_end_critical", CONSTRUCT_CRITICAL},
	{"__kmpc_atomic_", CONSTRUCT_ATOMIC},
	{"__kmpc_ordered", CONSTRUCT_ORDERED},
	{"__kmpc_doacross_", CONSTRUCT_ORDERED},
	{"__kmpc_single", CONSTRUCT_SINGLE},
	{"__kmpc_copyprivate", CONSTRUCT_SINGLE},
	{"__kmpc_sections_", CONSTRUCT_SECTIONS},
	{"__kmpc_next_section", CONSTRUCT_SECTIONS},
	{"__kmpc_for_static_", CONSTRUCT_LOOP},
	{"__kmpc_dispatch_", CONSTRUCT_LOOP},
	{"__kmpc_omp_task", CONSTRUCT_TASK},
	{"__kmpc_omp_taskwait", CONSTRUCT_TASKWAIT},
	{"__kmpc_omp_wait_deps", CONSTRUCT_TASKWAIT},
	{"__kmpc_omp_taskyield", CONSTRUCT_TASKYIELD},
	{"__kmpc_taskloop", CONSTRUCT_TASKLOOP},
	{"__kmpc_taskgroup", CONSTRUCT_TASKGROUP},
	{"__kmpc_end_taskgroup", CONSTRUCT_TASKGROUP},
	{"__kmpc_reduce", CONSTRUCT_REDUCTION},
	{"__kmpc_set_lock", CONSTRUCT_LOCK},
	{"__kmpc_set_nest_lock", CONSTRUCT_LOCK},
	{"__tgt_", CONSTRUCT_TARGET},
	{NULL, CONSTRUCT_UNKNOWN},
};

static const char *const own_prefixes[] = {"__kmp", "__tgt_", NULL};

static struct error *check_symbols(struct target *t, const struct runtime *r)
{
	const char *build_id = r->build_id[0] ? r->build_id : "unknown";
	bool has_ompd, has_own = true;
	struct error *err = runtime_has_symbol(t, "ompd_dll_locations", &has_ompd);

	/* __kmp_threads is a local symbol that every build has. */
	if (!err && !has_ompd)
		err = runtime_has_symbol(t, "__kmp_threads", &has_own);
	if (err || has_ompd)
		return err;
	if (has_own) {
		err = error_create(ERR_PLUGIN_NOT_FOUND, "the OpenMP runtime %s (build id %s) was built without OMPD",
				   r->path, build_id);
		error_detail(err, "searched", "symbols of %s", r->path);
		error_hint(err, "run the program with a libomp that was built with LIBOMP_OMPD_SUPPORT");
	} else {
		err = error_create(ERR_RUNTIME_STRIPPED,
				   "the OpenMP runtime %s (build id %s) is stripped: neither the file nor its debug "
				   "file has the symbols that OMPD needs",
				   r->path, build_id);
		error_hint(err,
			   "install the package with its symbols (on Debian libomp5-N-dbgsym, build id %s), or name "
			   "the folder of its debug file with --debug-dir DIR",
			   build_id);
	}
	error_detail(err, "path", "%s", r->path);
	return error_detail(err, "build_id", "%s", r->build_id);
}

/* Returns whether the environment sets OMP_DEBUG. Also returns false if the environment cannot be read. */
static bool has_omp_debug(struct target *t)
{
	static const char wanted[] = "OMP_DEBUG=enabled";
	bool is_there;
	uint64_t at = runtime_read_variable(t, "environ", "libc.", &is_there), string;

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

/*
 * Returns why @kind can never be seen, or NULL. LLVM's runtime decides at its start whether it ever calls these
 * functions. It calls ompd_dll_locations_valid() at that moment.
 */
static struct error *check_event(struct target *t, const char *file, enum event_kind kind)
{
	bool knows_state, knows_locations;
	bool is_on = runtime_read_variable(t, "ompd_state", file, &knows_state) & OMPD_ENABLE_BP;
	bool has_begun = runtime_read_variable(t, "ompd_dll_locations", file, &knows_locations) != 0;
	struct error *err = NULL;

	if (kind != EVENT_DLL_LOCATIONS_VALID && knows_state && knows_locations && !is_on &&
	    (has_begun || !has_omp_debug(t)))
		err = error_hint(error_create(ERR_EVENT_UNAVAILABLE,
					      "LLVM's runtime calls %s() only if OMP_DEBUG=enabled was in the "
					      "environment when it started",
					      event_ompd_function(kind)),
				 "start the program with OMP_DEBUG=enabled, or set a breakpoint at the function "
				 "__kmpc_fork_call");
	return error_detail(err, "event", "%s", event_name(kind));
}

/* Two of these entry points get the region's function as an argument. */
static const struct descriptor_region regions[] = {
	{"__kmpc_fork_call", 2, false},
	{"__kmpc_fork_call_if", 2, false},
	{NULL, 0, false},
};

/* Programs that gcc compiled can run on it, too. */
static const struct descriptor_event *const events[] = {kmpc_entries, gomp_entries, NULL};

static const char *const code_prefixes[] = {"__kmp", "GOMP_", NULL};

static const struct descriptor_lock_call *const lock_calls[] = {kmpc_lock_calls, gomp_lock_calls, omp_lock_calls, NULL};

/* From outside, only a working thread can be recognised, not the object that a thread waits for. */
static const struct descriptor_proofs proofs = {.lock_calls = lock_calls, .code_prefixes = code_prefixes};

const struct runtime_descriptor descriptor_libomp = {
	.name = "libomp",
	.file_names = file_names,
	.stands_in_for = "libgomp",
	.proof = "__kmpc_fork_call",
	.symbol = "__kmpc_fork_call",
	.compiler = "clang version",
	.version_mark = "LLVM ", /* our own library's */
	.is_read_by_own = true,
	.has_library_beside = true,
	.check_symbols = check_symbols,
	.quirks = &quirks_llvm,
	.check_event = check_event,
	.events = events,
	.unseen = kmpc_unseen,
	.regions = regions,
	.constructs = constructs,
	.own_prefixes = own_prefixes,
	.proofs = &proofs,
	.waits_for_descendants = true,
	.has_helper_teams = true, /* hidden helper threads */
	.stores_holders_with = "KMP_CONSISTENCY_CHECK=all in its environment",
	.has_wrong_frame_kinds = true, /* the library's CFAs are frame pointers */
	.has_direct_calls = true,      /* clang: a region or task with if(0) */
	.devices = DEVICES_OMPTARGET,
};
