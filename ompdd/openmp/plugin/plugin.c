/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads the OMPD library. Only this file calls dlopen. */
#include "openmp/plugin/plugin.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "base/log.h"
#include "openmp/plugin/ompd.h"
#include "target/sandbox/broker.h"

#define PLUGIN_MAX_VERSION_STRING 256

struct plugin {
	struct list link; /* in `loaded` */
	void *dl;
	char *path;
	int64_t api_version;
	char version_string[PLUGIN_MAX_VERSION_STRING];
	struct ompd_routines routines;
	const char *const *quirks;
};

/* All libraries that have not been destroyed. */
static struct list loaded = {&loaded, &loaded};

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
	 * Constructors run here: a crash in them is the library's fault. The library is never unmapped: its exit
	 * handlers and threads would run into unmapped memory. So would those of an OpenMP runtime that it loads.
	 */
	guard_in_plugin = 1;
	void *dl = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	guard_in_plugin = 0;
	return dl;
}

static bool is_loaded(const void *dl)
{
	list_for_each (it, tmp, &loaded) {
		if (list_entry(it, struct plugin, link)->dl == dl)
			return true;
	}
	return false;
}

/*
 * The linker also identifies files by name. A reused descriptor number would be another library's name, so the
 * descriptor stays open, as the library stays mapped.
 */
static void *open_fd(int fd)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return open_library(name);
}

/* Load the library at @path, or the one open on @fd, a second time: from a copy. */
static void *open_copy(const char *path, int fd)
{
	_cleanup_close_ int own = fd < 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	int from = fd < 0 ? own : fd;
	struct stat st;
	int copy = from < 0 || fstat(from, &st) < 0 ? -1 : broker_create_memory((size_t)st.st_size);
	off_t at = 0;

	if (copy < 0)
		goto failed;
	while (at < st.st_size) {
		if (sendfile(copy, from, &at, (size_t)(st.st_size - at)) <= 0)
			goto failed;
	}
	void *dl = open_fd(copy);

	if (dl)
		return dl;
failed:
	if (copy >= 0)
		close(copy);
	return NULL;
}

/* Each loaded library has its own variables. */
static void *open_own(const char *path, int fd)
{
	int kept = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
	void *dl;

	if (fd >= 0 && kept < 0)
		return NULL;
	dl = kept < 0 ? open_library(path) : open_fd(kept);
	if (!dl && kept >= 0)
		close(kept);
	if (!dl || !is_loaded(dl))
		return dl;
	dlclose(dl);
	dl = open_copy(path, kept);
	if (kept >= 0)
		close(kept);
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

	snprintf(reason, sizeof(reason), "it lacks %s, which OpenMP 5.0 requires", missing);
	return error_detail(plugin_load_failed(p->path, reason), "missing_routine", "%s", missing);
}

static struct error *check_version(struct plugin *p)
{
	ompd_word_t version = 0;
	const char *text = NULL;
	int rc = plugin_call(p, get_api_version, &version);

	if (rc != ompd_rc_ok)
		return plugin_load_failed(p->path, "it does not report its version");
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
		guard_in_plugin = 1; /* the library supplied this pointer */
		snprintf(p->version_string, sizeof(p->version_string), "%s", text);
		guard_in_plugin = 0;
	}
	return NULL;
}

struct error *plugin_load(const char *path, int fd, struct plugin **ret)
{
	_cleanup_(cleanup_plugin) struct plugin *p = calloc(1, sizeof(*p));
	struct error *err;

	if (!p)
		return &error_nomem;
	list_init(&p->link);
	p->path = strdup(path);
	if (!p->path)
		return &error_nomem;
	p->dl = open_own(path, fd);
	if (!p->dl) {
		const char *reason = dlerror();

		return plugin_load_failed(path, reason ? reason : "out of files or memory");
	}
	list_append(&loaded, &p->link);
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
	list_remove(&p->link);
	if (p->dl) {
		guard_in_plugin = 1;
		dlclose(p->dl);
		guard_in_plugin = 0;
	}
	free(p->path);
	free(p);
}
