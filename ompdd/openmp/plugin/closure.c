/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the other libraries that the dynamic linker would load with a library (order: ld.so(8), "DESCRIPTION"). */
#include "openmp/plugin/closure.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "openmp/plugin/plugin.h"
#include "openmp/plugin/vet.h"
#include "target/elf/elf_needs.h"

#define ENTRY "ompd_initialize"
/* Limits for the libraries of one closure, and for the folders that are searched for them. */
#define MAX_LIBRARIES 128
#define MAX_FOLDERS   64

struct closure {
	const char *named; /* the library whose closure this is */
	char *paths[MAX_LIBRARIES];
	size_t n_paths;
	/*
	 * RPATH also applies to the libraries that a library needs. All folders count for all libraries: that checks
	 * more, never less.
	 */
	char *folders[MAX_FOLDERS];
	size_t n_folders;
};

static struct error *report_limit(const struct closure *c)
{
	return vet_untrusted(c->named, c->named, "needs more libraries or folders than are checked");
}

static struct error *add_path(struct closure *c, char *path TAKES)
{
	for (size_t i = 0; i < c->n_paths; i++) {
		if (!strcmp(c->paths[i], path)) {
			free(path);
			return NULL;
		}
	}
	if (c->n_paths == MAX_LIBRARIES) {
		free(path);
		return report_limit(c);
	}
	c->paths[c->n_paths++] = path;
	return NULL;
}

/* A leading $ORIGIN or ${ORIGIN} is the folder of @path. Other variables are refused. */
static struct error *expand_entry(const struct closure *c, const char *path, const char *entry, size_t len, char **ret)
{
	static const char *const origins[] = {"$ORIGIN", "${ORIGIN}"};
	size_t dir = (size_t)(strrchr(path, '/') - path), skip = 0;
	char text[PATH_MAX];

	for (size_t i = 0; i < 2; i++) {
		size_t n = strlen(origins[i]);

		if (len >= n && !strncmp(entry, origins[i], n) && (len == n || entry[n] == '/'))
			skip = n;
	}
	snprintf(text, sizeof(text), "%.*s", (int)len, entry);
	/* An empty entry is the working folder. An entry without a leading slash is relative to the working folder. */
	if ((!skip && *entry != '/') || !len || memchr(entry + skip, '$', len - skip))
		return vet_untrusted(c->named, path, "searches a library in an unknown folder");
	if (asprintf(ret, "%.*s%.*s", skip ? (int)dir : 0, path, (int)(len - skip), entry + skip) < 0)
		return &error_nomem;
	return NULL;
}

/* Check the folders of @list and add them. */
static struct error *add_folders(struct closure *c, const char *path, const char *list)
{
	while (list) {
		size_t len = strcspn(list, ":");
		char *folder = NULL;
		bool known = false;

		struct error *err = expand_entry(c, path, list, len, &folder);
		if (!err)
			err = vet_folder(c->named, folder);
		if (err) {
			free(folder);
			return err;
		}
		for (size_t i = 0; i < c->n_folders; i++)
			known |= !strcmp(c->folders[i], folder);
		if (!known && c->n_folders == MAX_FOLDERS) {
			free(folder);
			return report_limit(c);
		}
		if (known)
			free(folder);
		else
			c->folders[c->n_folders++] = folder;
		list = list[len] ? list + len + 1 : NULL;
	}
	return NULL;
}

static struct error *add_file(struct closure *c, const char *file)
{
	char *canonical;
	struct error *err = vet_file(c->named, file, &canonical);

	return err ? err : add_path(c, canonical);
}

/* Check every file of that name in the folders: the linker may take any of them. */
static struct error *add_library(struct closure *c, const char *name)
{
	struct vet_dirs system;

	if (*name == '/')
		return add_file(c, name);
	if (strchr(name, '/'))
		return vet_untrusted(c->named, name, "is needed by it and is searched in the working folder");
	vet_default_dirs(&system);
	for (size_t i = 0; i < c->n_folders + system.n; i++) {
		const char *folder = i < c->n_folders ? c->folders[i] : system.dirs[i - c->n_folders];
		_cleanup_free_ char *file = NULL;

		if (asprintf(&file, "%s/%s", folder, name) < 0) {
			file = NULL;
			return &error_nomem;
		}
		if (access(file, F_OK) != 0)
			continue;
		struct error *err = add_file(c, file);
		if (err)
			return err;
	}
	return NULL;
}

static struct error *add_needs(struct closure *c, const char *path, int fd)
{
	struct elf_needs needs;

	if (!elf_needs_read(fd, NULL, &needs))
		return vet_untrusted(c->named, path, "is not a shared library with readable dependences");
	struct error *err = add_folders(c, path, needs.rpath);
	if (!err)
		err = add_folders(c, path, needs.runpath);
	for (size_t i = 0; i < needs.n_names && !err; i++)
		err = add_library(c, needs.names[i]);
	elf_needs_deinit(&needs);
	return err;
}

struct error *closure_vet(const char *path, int fd)
{
	struct closure c = {.named = path};

	struct error *err = add_needs(&c, path, fd);
	/* The list grows in this loop. */
	for (size_t i = 0; i < c.n_paths && !err; i++) {
		_cleanup_close_ int file = open(c.paths[i], O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

		err = file < 0 ? vet_untrusted(path, c.paths[i], "cannot be opened") : add_needs(&c, c.paths[i], file);
	}
	for (size_t i = 0; i < c.n_paths; i++)
		free(c.paths[i]);
	for (size_t i = 0; i < c.n_folders; i++)
		free(c.folders[i]);
	return err;
}

struct error *closure_check_kind(const char *path, int fd)
{
	struct elf_needs needs;

	if (!elf_needs_read(fd, ENTRY, &needs))
		return plugin_load_failed(path, "it is not a shared library for this machine");
	bool is_one = needs.has_symbol;
	elf_needs_deinit(&needs);
	if (is_one)
		return NULL;
	return error_detail(plugin_load_failed(path, "it lacks " ENTRY ", which every OMPD library has"),
			    "missing_routine", ENTRY);
}
