/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tries the candidates for a runtime's OMPD library in order. The checks depend on the source of the name. */
#include "openmp/runtimes/library.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "openmp/plugin/closure.h"
#include "openmp/plugin/plugin.h"
#include "openmp/plugin/vet.h"
#include "openmp/runtimes/absent.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/runtime.h"
#include "target/control.h"
#include "target/modules/modules.h"
#include "target/target.h"

/* Limit for the entries of the target's ompd_dll_locations vector. */
#define MAX_LOCATIONS 16

/*
 * Load @canonical, from @fd unless it is -1. Our own library is trusted. Any other may be hostile: before it is loaded,
 * all threads of this process lose the ability to trace.
 */
static struct error *load_library(struct target *t, const char *canonical, int fd, const struct plugin_options *options,
				  struct plugin **ret)
{
	bool own = options->own_libompd && !strcmp(canonical, options->own_libompd);
	struct error *err = own ? NULL : target_quit_thread(t);

	if (!err)
		return plugin_load(canonical, fd, ret);
	struct error *failed = plugin_load_failed(canonical, err->message);
	error_destroy(err);
	return failed;
}

/* Load a path that we or the user chose. Its directory is trusted, but it must be a file. */
static struct error *load_trusted(struct target *t, const char *path, const struct plugin_options *options,
				  struct plugin **ret)
{
	_cleanup_free_ char *canonical = realpath(path, NULL);
	struct stat st;

	if (!canonical || stat(canonical, &st) < 0)
		return plugin_load_failed(path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return plugin_load_failed(canonical, "it is not a regular file");
	_cleanup_close_ int fd = open(canonical, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct error *err = fd < 0 ? plugin_load_failed(canonical, strerror(errno)) : closure_check_kind(canonical, fd);
	return err ? err : load_library(t, canonical, -1, options, ret);
}

static struct error *load_vetted(struct target *t, const char *path, const struct runtime *runtime,
				 const struct plugin_options *options, struct plugin **ret)
{
	_cleanup_free_ char *canonical = NULL;
	_cleanup_close_ int fd = -1;
	struct vet_dirs dirs;
	struct error *err;

	vet_default_dirs(&dirs);
	dirs.runtime = runtime->path;
	for (int i = 0; i < options->n_dirs && dirs.n < VET_MAX_DIRS; i++)
		dirs.dirs[dirs.n++] = options->dirs[i];
	err = vet_path(path, &dirs, &fd, &canonical);
	if (!err)
		err = closure_check_kind(canonical, fd);
	if (!err)
		err = closure_vet(canonical, fd);
	if (err)
		return err;
	return load_library(t, canonical, fd, options, ret);
}

/* Return the more useful of two reasons why there is no library. */
static struct error *choose_reason(struct error *a, struct error *b)
{
	if (!a || (error_is(a, ERR_PLUGIN_NOT_FOUND) && !error_is(b, ERR_PLUGIN_NOT_FOUND))) {
		error_destroy(a);
		return b;
	}
	error_destroy(b);
	return a;
}

static struct error *read_location(struct target *t, uint64_t vector, size_t i, char *path, size_t size, bool *end_ret)
{
	struct error *err;
	uint64_t addr;

	err = target_read(t, vector + i * sizeof(addr), &addr, sizeof(addr));
	if (err)
		return err;
	*end_ret = addr == 0;
	return addr ? target_read_string(t, addr, path, size) : NULL;
}

/* Debian's libomp is a link into LLVM's directory, which has its OMPD library. dladdr() returns the link's path. */
static struct error *load_beside(struct target *t, const struct runtime *runtime, const struct plugin_options *options,
				 struct plugin **ret)
{
	_cleanup_free_ char *real = realpath(runtime->path, NULL);
	const char *slash = real ? strrchr(real, '/') : NULL;
	char path[PATH_MAX];

	if (!runtime->descriptor->has_library_beside || !slash ||
	    snprintf(path, sizeof(path), "%.*s/libompd.so", (int)(slash - real), real) >= (int)sizeof(path))
		return error_create(ERR_PLUGIN_NOT_FOUND, "the target's ompd_dll_locations is empty");
	return load_vetted(t, path, runtime, options, ret);
}

/*
 * A bare name that our runtime gives is that of our own library. Another library of that name, for example LLVM's,
 * cannot read our runtime.
 */
static bool is_our_own(const char *name, const struct runtime *runtime, const struct plugin_options *options)
{
	return runtime->descriptor->names_own && options->own_libompd && !strchr(name, '/');
}

/* The module that names a library in ompd_dll_locations. */
enum namer { NOT_NAMED, NAMED_BY_RUNTIME, NAMED_BY_PROGRAM };

/* *@named_ret: unless it is NOT_NAMED, the result of this function is final. */
static struct error *find_by_locations(struct target *t, const struct runtime *runtime,
				       const struct plugin_options *options, enum namer *named_ret, struct plugin **ret)
{
	struct target_symbol symbol;
	struct error *why = NULL, *err;
	uint64_t vector;

	err = target_runtime_symbol(t, "ompd_dll_locations", &symbol);
	if (error_catch(&err, ERR_SYMBOL_NOT_FOUND))
		return NULL;
	if (err)
		return err;
	/* Another runtime of the process names its own library. The program may name one library for all runtimes. */
	if (symbol.module && symbol.module->start != runtime->start && symbol.module->path &&
	    runtime_named(symbol.module->path, NULL))
		return NULL;
	*named_ret = symbol.module && symbol.module->start == runtime->start ? NAMED_BY_RUNTIME : NAMED_BY_PROGRAM;
	err = target_read(t, symbol.address, &vector, sizeof(vector));
	if (err)
		return err;
	if (!vector)
		return absent_hint(t, error_create(ERR_OPENMP_NOT_STARTED,
						   "the OpenMP runtime has not named its OMPD library yet"));

	for (size_t i = 0; i < MAX_LOCATIONS; i++) {
		char path[PATH_MAX];
		bool end;

		err = read_location(t, vector, i, path, sizeof(path), &end);
		if (err) {
			error_destroy(why);
			return err;
		}
		if (end)
			break;
		err = is_our_own(path, runtime, options) ? load_trusted(t, options->own_libompd, options, ret)
							 : load_vetted(t, path, runtime, options, ret);
		if (!err) {
			error_destroy(why);
			return NULL;
		}
		log_err(LOG_INFO, err, "plugin");
		why = choose_reason(why, err);
	}
	err = load_beside(t, runtime, options, ret);
	if (!err) {
		error_destroy(why);
		return NULL;
	}
	return choose_reason(why, err);
}

static struct error *explain_absence(struct target *t, const struct runtime *runtime)
{
	struct error *err = runtime_check_symbols(t, runtime);

	if (err)
		return err;
	err = error_create(ERR_PLUGIN_NOT_FOUND, "the OpenMP runtime %s names no OMPD library", runtime->path);
	error_detail(err, "searched", "ompd_dll_locations of %s", runtime->path);
	error_detail(err, "path", "%s", runtime->path);
	return error_detail(err, "build_id", "%s", runtime->build_id);
}

static struct error *find_library(struct target *target, const struct runtime *runtime,
				  const struct plugin_options *options, struct plugin **ret)
{
	enum namer named = NOT_NAMED;
	struct error *err;

	if (options->libompd)
		return load_trusted(target, options->libompd, options, ret);
	err = find_by_locations(target, runtime, options, &named, ret);
	/*
	 * Our runtime names this very library, but in a folder that may be untrusted. A libomp with symbols names
	 * LLVM's library, but can be read without it. The user chose a library that the program names.
	 */
	bool has_own =
		runtime->descriptor->names_own || (runtime->descriptor->is_read_by_own && named == NAMED_BY_RUNTIME &&
						   !error_is(err, ERR_OPENMP_NOT_STARTED));

	if (err && has_own && options->own_libompd) {
		log_err(LOG_INFO, err, "plugin");
		error_destroy(err);
		return load_trusted(target, options->own_libompd, options, ret);
	}
	if (err || named)
		return err;
	if (runtime->descriptor->is_read_by_own && options->own_libompd)
		return load_trusted(target, options->own_libompd, options, ret);
	return explain_absence(target, runtime);
}

struct error *library_find(struct target *target, const struct runtime *runtime, const struct plugin_options *options,
			   struct plugin **ret)
{
	struct plugin *p;
	struct error *err = find_library(target, runtime, options, &p);

	if (err)
		return err;
	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i; i++) {
		const struct library_quirks *quirks = (*i)->quirks;

		if (quirks && quirks->is_needed(plugin_version_string(p)))
			plugin_correct(p, quirks->apply, quirks->names);
	}
	*ret = p;
	return NULL;
}
