/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * LLVM's libomp, and Intel's, which is made of it. Its OMPD library needs symbols that distributions strip, and has faults (quirks_llvm.c). It has
 * libgomp's entry points, too, and may be made to take its place.
 */
#include <stddef.h>

#include "openmp/runtimes/profile.h"
#include "openmp/runtimes/quirks_llvm.h"
#include "openmp/runtimes/runtime.h"

static const char *const file_names[] = {"libomp", "libiomp5", NULL};

static struct error *check_symbols(struct target *t, const struct runtime *r)
{
	const char *build_id = r->build_id[0] ? r->build_id : "unknown";
	bool has_ompd, has_own = true;
	struct error *err = runtime_has_symbol(t, "ompd_dll_locations", &has_ompd);

	/* This one is local, too, and in every build. */
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
				   "the OpenMP runtime %s (build id %s) is stripped: neither it nor a debug file here has the symbols that OMPD needs",
				   r->path, build_id);
		error_hint(err, "install the package with its symbols (on Debian libomp5-N-dbgsym, build id %s), or name "
			   "the folder that has its debug file with --debug-dir DIR", build_id);
	}
	error_detail(err, "path", "%s", r->path);
	return error_detail(err, "build_id", "%s", r->build_id);
}

const struct profile profile_libomp = {
	.name = "libomp",
	.file_names = file_names,
	.stands_in_for = "libgomp",
	.proof = "__kmpc_fork_call",
	.symbol = "__kmpc_fork_call",
	.compiler = "clang version",
	.has_library_beside = true,
	.check_symbols = check_symbols,
	.quirks = &quirks_llvm,
	.has_wrong_frame_kinds = true, /* they are frame pointers */
	.has_direct_calls = true,      /* clang: a region or task with if(0) */
};
