/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loading the OMPD library. The only file that calls dlopen. */
#include "openmp/plugin/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "openmp/plugin/ompd.h"

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

void plugin_correct(struct plugin *p, void (*apply)(struct ompd_routines *), const char *const *names)
{
	apply(&p->routines);
	p->quirks = names;
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

struct error *plugin_load_failed(const char *path, const char *reason)
{
	struct error *err =
		error_create(ERR_PLUGIN_LOAD_FAILED, "the OMPD library %s could not be loaded: %s", path, reason);

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

#define X(name) p->routines.name = (__typeof__(p->routines.name))dlsym(p->dl, "ompd_" #name);
	OMPD_ROUTINES(X)
	OMPD_ROUTINES_OPTIONAL(X)
#undef X
#define X(name)                                                                                                        \
	if (!p->routines.name && !missing)                                                                             \
		missing = "ompd_" #name;
	OMPD_ROUTINES(X)
#undef X
	if (!missing)
		return NULL;

	char reason[128];

	snprintf(reason, sizeof(reason), "it lacks %s, which OMPD has since 5.0", missing);
	return error_detail(plugin_load_failed(p->path, reason), "missing_routine", "%s", missing);
}

static struct error *check_version(struct plugin *p)
{
	ompd_word_t version = 0;
	const char *text = NULL;
	int rc = plugin_call(p, get_api_version, &version);

	if (rc != ompd_rc_ok)
		return plugin_load_failed(p->path, "it does not tell its version");
	if (version < PLUGIN_MIN_VERSION || version > PLUGIN_MAX_VERSION) {
		struct error *err =
			error_create(ERR_PLUGIN_INCOMPATIBLE, "the OMPD library %s has API version %lld, not %d to %d",
				     p->path, (long long)version, PLUGIN_MIN_VERSION, PLUGIN_MAX_VERSION);

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
		return plugin_load_failed(path, dlerror());
	err = find_routines(p);
	if (err)
		return err;
	err = check_version(p);
	if (err)
		return err;
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
