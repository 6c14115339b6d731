/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Locating and loading the OMPD library. The only file that calls dlopen. */
#include "openmp/plugin/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "openmp/plugin/ompd.h"
#include "openmp/runtimes/quirks_llvm.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/plugin/vet.h"
#include "target/target.h"

/* Of the target's ompd_dll_locations vector. */
#define PLUGIN_MAX_LOCATIONS 16
#define PLUGIN_MAX_VERSION_STRING 256

struct plugin {
	void *dl;
	char *path;
	int64_t api_version;
	char version_string[PLUGIN_MAX_VERSION_STRING];
	struct ompd_routines routines;
	const char *const *quirks;
};

const struct ompd_routines *plugin_routines(const struct plugin *p)
{
	return &p->routines;
}

const char *plugin_path(const struct plugin *p)
{
	return p->path;
}

int64_t plugin_api_version(const struct plugin *p)
{
	return p->api_version;
}

const char *plugin_version_string(const struct plugin *p)
{
	return p->version_string;
}

const char *const *plugin_quirks(const struct plugin *p)
{
	static const char *const none[] = {NULL};

	return p->quirks ? p->quirks : none;
}

bool plugin_has_quirk(const struct plugin *p, const char *name)
{
	for (const char *const *quirk = plugin_quirks(p); *quirk; quirk++)
		if (strcmp(*quirk, name) == 0)
			return true;
	return false;
}

struct error *ompd_misbehaved(const char *routine, const char *what)
{
	return error_create(ERR_PLUGIN_MISBEHAVED, "%s of the OMPD library %s", routine, what);
}

static struct error *load_failed(const char *path, const char *reason)
{
	struct error *err = error_create(ERR_PLUGIN_LOAD_FAILED,
					 "the OMPD library %s could not be loaded: %s", path, reason);

	error_detail(err, "path", "%s", path);
	return error_detail(err, "reason", "%s", reason);
}

static void *open_library(const char *name)
{
	/*
	 * Constructors run here: what they do wrong is the library's fault. Never unmapped: exit handlers and
	 * threads that it (or an OpenMP runtime which it drags in) has left behind would run into nothing.
	 */
	guard_in_plugin = 1;
	void *dl = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	guard_in_plugin = 0;
	return dl;
}

static struct error *find_routines(struct plugin *p)
{
	const char *missing = NULL;

#define X(name)                                                                                    \
	p->routines.name = (__typeof__(p->routines.name))dlsym(p->dl, "ompd_" #name);
	OMPD_ROUTINES(X)
	OMPD_ROUTINES_OPTIONAL(X)
#undef X
#define X(name)                                                                                    \
	if (!p->routines.name && !missing)                                                         \
		missing = "ompd_" #name;
	OMPD_ROUTINES(X)
#undef X
	if (!missing)
		return NULL;

	char reason[128];

	snprintf(reason, sizeof(reason), "it lacks %s, which OMPD has since 5.0", missing);
	return error_detail(load_failed(p->path, reason), "missing_routine", "%s", missing);
}

static struct error *check_version(struct plugin *p)
{
	ompd_word_t version = 0;
	const char *text = NULL;
	int rc = plugin_call(p, get_api_version, &version);

	if (rc != ompd_rc_ok)
		return load_failed(p->path, "it does not tell its version");
	if (version < PLUGIN_MIN_VERSION || version > PLUGIN_MAX_VERSION) {
		struct error *err = error_create(ERR_PLUGIN_INCOMPATIBLE,
						 "the OMPD library %s has API version %lld, not %d to %d",
						 p->path, (long long)version, PLUGIN_MIN_VERSION,
						 PLUGIN_MAX_VERSION);

		error_detail(err, "path", "%s", p->path);
		return error_detail(err, "version", "%lld", (long long)version);
	}
	p->api_version = version;
	rc = plugin_call(p, get_version_string, &text);
	if (rc == ompd_rc_ok && text) {
		guard_in_plugin = 1; /* the pointer is the library's word */
		snprintf(p->version_string, sizeof(p->version_string), "%s", text);
		guard_in_plugin = 0;
	}
	return NULL;
}

struct error *plugin_load(const char *path, int fd, struct plugin **ret)
{
	_cleanup_(cleanup_plugin) struct plugin *p = calloc(1, sizeof(*p));
	char by_fd[64];
	struct error *err;

	if (!p)
		return &error_nomem;
	p->path = strdup(path);
	if (!p->path)
		return &error_nomem;
	snprintf(by_fd, sizeof(by_fd), "/proc/self/fd/%d", fd);
	p->dl = open_library(fd >= 0 ? by_fd : path);
	if (!p->dl)
		return load_failed(path, dlerror());
	err = find_routines(p);
	if (err)
		return err;
	err = check_version(p);
	if (err)
		return err;
	if (quirks_llvm_is_needed(p->version_string)) {
		quirks_llvm_apply(&p->routines);
		p->quirks = quirks_llvm_names;
	}
	log_info("plugin: loaded %s, API version %lld", p->path, (long long)p->api_version);
	*ret = no_cleanup(p);
	return NULL;
}

void plugin_destroy(struct plugin *p)
{
	if (!p)
		return;
	if (p->dl) {
		guard_in_plugin = 1;
		dlclose(p->dl);
		guard_in_plugin = 0;
	}
	free(p->path);
	free(p);
}

/* A path that we or the user chose: trusted as to its directory, but it must be a file. */
static struct error *load_trusted(const char *path, struct plugin **ret)
{
	_cleanup_free_ char *canonical = realpath(path, NULL);
	struct stat st;

	if (!canonical || stat(canonical, &st) < 0)
		return load_failed(path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return load_failed(canonical, "it is not a regular file");
	return plugin_load(canonical, -1, ret);
}

static struct error *load_vetted(const char *path, const struct runtime *runtime,
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
	if (err)
		return err;
	return plugin_load(canonical, fd, ret);
}

/* Of two reasons why there is no library: the one that tells the user more. */
static struct error *better_reason(struct error *a, struct error *b)
{
	if (!a || (error_is(a, ERR_PLUGIN_NOT_FOUND) && !error_is(b, ERR_PLUGIN_NOT_FOUND))) {
		error_destroy(a);
		return b;
	}
	error_destroy(b);
	return a;
}

static struct error *read_location(struct target *t, uint64_t vector, size_t i, char *path,
				   size_t size, bool *end_ret)
{
	struct error *err;
	uint64_t addr;

	err = target_read(t, vector + i * sizeof(addr), &addr, sizeof(addr));
	if (err)
		return err;
	*end_ret = addr == 0;
	return addr ? target_read_string(t, addr, path, size) : NULL;
}

/* Debian's libomp is a link into LLVM's directory, where its OMPD library is: dladdr() gives the link's. */
static struct error *load_beside(const struct runtime *runtime, const struct plugin_options *options,
				 struct plugin **ret)
{
	_cleanup_free_ char *real = realpath(runtime->path, NULL);
	const char *slash = real ? strrchr(real, '/') : NULL;
	char path[PATH_MAX];

	if (runtime->kind != RUNTIME_LIBOMP || !slash ||
	    snprintf(path, sizeof(path), "%.*s/libompd.so", (int)(slash - real), real) >= (int)sizeof(path))
		return error_create(ERR_PLUGIN_NOT_FOUND, "the target's ompd_dll_locations is empty");
	return load_vetted(path, runtime, options, ret);
}

/* A bare name that our runtime gives is that of our own library: others of that name, LLVM's for one, know nothing of it. */
static bool is_our_own(const char *name, const struct runtime *runtime, const struct plugin_options *options)
{
	return runtime->kind == RUNTIME_OMPRT && options->own_libompd && !strchr(name, '/');
}

/* *@named_ret: the target has the symbol, so that what is found or not found here is the answer. */
static struct error *find_by_locations(struct target *t, const struct runtime *runtime,
				       const struct plugin_options *options, bool *named_ret,
				       struct plugin **ret)
{
	struct target_symbol symbol;
	struct error *why = NULL, *err;
	uint64_t vector;

	err = target_symbol(t, "ompd_dll_locations", NULL, &symbol);
	if (error_catch(&err, ERR_SYMBOL_NOT_FOUND))
		return NULL;
	if (err)
		return err;
	*named_ret = true;
	err = target_read(t, symbol.address, &vector, sizeof(vector));
	if (err)
		return err;
	if (!vector)
		return error_create(ERR_OPENMP_NOT_STARTED,
				    "the OpenMP runtime has not named its OMPD library yet");

	for (size_t i = 0; i < PLUGIN_MAX_LOCATIONS; i++) {
		char path[PATH_MAX];
		bool end;

		err = read_location(t, vector, i, path, sizeof(path), &end);
		if (err) {
			error_destroy(why);
			return err;
		}
		if (end)
			break;
		err = is_our_own(path, runtime, options) ? load_trusted(options->own_libompd, ret) :
							   load_vetted(path, runtime, options, ret);
		if (!err) {
			error_destroy(why);
			return NULL;
		}
		log_err(LOG_INFO, err, "plugin");
		why = better_reason(why, err);
	}
	err = load_beside(runtime, options, ret);
	if (!err) {
		error_destroy(why);
		return NULL;
	}
	return better_reason(why, err);
}

static struct error *none_for(struct target *t, const struct runtime *runtime)
{
	struct error *err = runtime_check_symbols(t, runtime);

	if (err)
		return err;
	err = error_create(ERR_PLUGIN_NOT_FOUND, "the OpenMP runtime %s names no OMPD library", runtime->path);
	error_detail(err, "searched", "ompd_dll_locations of %s", runtime->path);
	error_detail(err, "path", "%s", runtime->path);
	return error_detail(err, "build_id", "%s", runtime->build_id);
}

struct error *plugin_find(struct target *target, const struct runtime *runtime,
			  const struct plugin_options *options, struct plugin **ret)
{
	bool named = false;
	struct error *err;

	if (options->libompd)
		return load_trusted(options->libompd, ret);
	err = find_by_locations(target, runtime, options, &named, ret);
	/* What our runtime names is this very library, where its installation may not be trusted. */
	if (err && runtime->kind == RUNTIME_OMPRT && options->own_libompd) {
		log_err(LOG_INFO, err, "plugin");
		error_destroy(err);
		return load_trusted(options->own_libompd, ret);
	}
	if (err || named)
		return err;
	if (runtime->kind == RUNTIME_LIBGOMP && options->own_libompd)
		return load_trusted(options->own_libompd, ret);
	return none_for(target, runtime);
}
