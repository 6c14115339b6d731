/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compares the descriptors' file names and symbols with the files of a process. */
#include "openmp/runtimes/present.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/runtime.h"
#include "target/elf/code_files.h"

/*
 * Returns the runtime behind a file name: another runtime may stand in for it. Returns NULL if that cannot be
 * determined.
 */
static const struct runtime_descriptor *find_actual_runtime(struct code_cache *cache, int dirfd,
							    const struct proc_map *map,
							    const struct runtime_descriptor *named, const char *name)
{
	_cleanup_(code_file_close) struct code_file file = {.fd = -1};

	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i; i++) {
		if (!(*i)->stands_in_for || strcmp((*i)->stands_in_for, name) != 0)
			continue;
		if (!file.is_open)
			code_file_open(dirfd, map, &file);
		switch (code_file_defines(cache, &file, (*i)->proof)) {
		case CODE_YES:
			return *i;
		case CODE_UNKNOWN:
			return NULL;
		case CODE_NO:
			break;
		}
	}
	return named;
}

static void add_runtime(struct present *p, const struct runtime_descriptor *descriptor, char *path TAKES)
{
	p->runtimes[p->n++] = (struct present_runtime){
		.kind = descriptor ? descriptor->name : "unknown",
		.path = path,
		/* With several runtimes, our library reads either all of them or no runtime. */
		.is_read_by_own = !descriptor || descriptor->is_read_by_own || descriptor->names_own,
	};
}

/* Returns the runtime whose functions are in @map, or in the executable if @map is NULL. */
static const struct runtime_descriptor *find_defined_runtime(struct code_cache *cache, int dirfd,
							     const struct proc_map *map)
{
	_cleanup_(code_file_close) struct code_file file;

	code_file_open(dirfd, map, &file);
	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i; i++) {
		if (!(*i)->symbol || code_file_defines(cache, &file, (*i)->symbol) != CODE_YES)
			continue;
		/* Another runtime may contain this runtime's functions, too. */
		return map && (*i)->file_names ? find_actual_runtime(cache, dirfd, map, *i, (*i)->file_names[0]) : *i;
	}
	return NULL;
}

/* Distributions keep the names of runtimes. A renamed runtime lies in another folder, and few files do. */
static bool may_be_renamed(const struct proc_map *map)
{
	return strncmp(map->path, "/usr/", 5) && strncmp(map->path, "/lib", 4);
}

/* Find a runtime that is linked into the executable, or lies in a library of another name. */
static struct error *find_linked(struct code_cache *cache, int dirfd, const struct code_files *files, struct present *p)
{
	const struct runtime_descriptor *descriptor = find_defined_runtime(cache, dirfd, NULL);

	if (descriptor)
		add_runtime(p, descriptor, NULL);
	for (size_t i = 0; i < files->n && !descriptor; i++) {
		const struct proc_map *map = files->files[i];

		descriptor = may_be_renamed(map) ? find_defined_runtime(cache, dirfd, map) : NULL;
		if (!descriptor)
			continue;
		char *path = strndup(map->path, map->path_len);
		if (!path)
			return &error_nomem;
		add_runtime(p, descriptor, path);
	}
	return NULL;
}

struct error *present_find(struct code_cache *cache, int dirfd, const struct code_files *files, struct present *ret)
{
	_cleanup_(present_deinit) struct present p = {0};

	for (size_t i = 0; i < files->n && p.n < PRESENT_MAX; i++) {
		const struct proc_map *file = files->files[i];
		const char *name;
		char *path = strndup(file->path, file->path_len);

		if (!path)
			return &error_nomem;
		const struct runtime_descriptor *named = runtime_named(path, &name);
		if (named)
			add_runtime(&p, find_actual_runtime(cache, dirfd, file, named, name), path);
		else
			free(path);
	}
	if (!p.n && files->n) {
		struct error *err = find_linked(cache, dirfd, files, &p);

		if (err)
			return err;
	}
	*ret = p;
	p.n = 0;
	return NULL;
}

void present_deinit(struct present *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->runtimes[i].path);
	p->n = 0;
}
