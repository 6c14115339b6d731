/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recognises the OpenMP runtimes of a process by its modules. */
#include "openmp/runtimes/runtime.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "openmp/runtimes/absent.h"
#include "openmp/runtimes/descriptor.h"
#include "target/modules/modules.h"
#include "target/target.h"

bool runtime_file_is(const char *path, const char *stem)
{
	const char *name = path_file_name(path);
	size_t len = strlen(stem);

	if (strncmp(name, stem, len) != 0 || !strstr(name, ".so"))
		return false;
	if (strncmp(name + len, "-plugin", 7) == 0)
		return false;
	return name[len] == '.' || name[len] == '-';
}

const struct runtime_descriptor *runtime_named(const char *path, const char **stem_ret)
{
	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i; i++) {
		for (const char *const *name = (*i)->file_names; name && *name; name++) {
			if (!runtime_file_is(path, *name))
				continue;
			if (stem_ret)
				*stem_ret = *name;
			return *i;
		}
	}
	return NULL;
}

/* "GCC: (Debian 12.2.0-14) 12.2.0" -> "12"; "clang version 16.0.6" -> "16". */
static void parse_compiler_version(const char *compiler, char *ret, size_t size)
{
	const char *p = compiler;

	ret[0] = '\0';
	if (!p)
		return;
	if (strncmp(p, "GCC:", 4) == 0) {
		const char *close = strrchr(p, ')');

		p = close ? close + 1 : p + 4;
	}
	while (*p && !isdigit((unsigned char)*p))
		p++;
	size_t n = 0;

	while (isdigit((unsigned char)p[n]) && n + 1 < size)
		n++;
	memcpy(ret, p, n);
	ret[n] = '\0';
}

static struct error *fill_runtime(const struct runtime_descriptor *descriptor, const struct target_module *module,
				  bool is_executable, struct runtime *ret)
{
	struct runtime r = {
		.descriptor = descriptor,
		.start = module->start,
		.end = module->end,
		.is_executable = is_executable,
	};

	r.path = strdup(module->path);
	if (!r.path)
		return &error_nomem;
	snprintf(r.build_id, sizeof(r.build_id), "%s", module->build_id);
	if (!descriptor->compiler || (module->compiler && strstr(module->compiler, descriptor->compiler)))
		parse_compiler_version(module->compiler, r.version, sizeof(r.version));
	*ret = r;
	return NULL;
}

static struct error *check_export(struct target *t, const struct target_module *module, const char *name, bool *ret)
{
	struct target_symbol symbol;

	/* Another module may have the same file name. */
	target_prefer_module(t, module->start);
	struct error *err = target_symbol(t, name, path_file_name(module->path), &symbol);

	*ret = !err && symbol.module == module;
	return error_catch(&err, ERR_SYMBOL_NOT_FOUND) ? NULL : err;
}

/*
 * Finds the runtime of a module with one of the file names of @named: @named itself, or another runtime in its place.
 */
static struct error *find_actual_runtime(struct target *t, const struct target_module *module, const char *file_name,
					 const struct runtime_descriptor *named, const struct runtime_descriptor **ret)
{
	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i; i++) {
		bool is_it;

		if (!(*i)->stands_in_for || strcmp((*i)->stands_in_for, file_name) != 0)
			continue;
		struct error *err = check_export(t, module, (*i)->proof, &is_it);

		if (err)
			return err;
		if (is_it) {
			*ret = *i;
			return NULL;
		}
	}
	*ret = named;
	return NULL;
}

/* Finds a runtime by symbols if no file name identifies one. *@found_ret stays unchanged if no runtime is found. */
static struct error *find_by_symbol(struct target *t, struct runtime *ret, bool *found_ret)
{
	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i; i++) {
		struct target_symbol symbol;

		if (!(*i)->symbol)
			continue;
		struct error *err = target_runtime_symbol(t, (*i)->symbol, &symbol);

		if (error_catch(&err, ERR_SYMBOL_NOT_FOUND))
			continue;
		if (err)
			return err;
		if (!symbol.module)
			continue;
		const struct runtime_descriptor *behind = *i;

		/* Another runtime may have this runtime's functions and also its file name. */
		if ((*i)->file_names)
			err = find_actual_runtime(t, symbol.module, (*i)->file_names[0], *i, &behind);
		if (err)
			return err;
		*found_ret = true;
		return fill_runtime(behind, symbol.module, true, ret);
	}
	return NULL;
}

/* The known runtimes, by the start addresses of their modules. */
struct known {
	const uint64_t *starts;
	size_t n;
};

static bool is_known(const struct known *known, const struct target_module *module)
{
	for (size_t i = 0; i < known->n; i++) {
		if (known->starts[i] == module->start)
			return true;
	}
	return false;
}

/* Finds a module with one of the file names of @descriptor that is not known yet. */
static struct error *find_by_name(struct target *t, const struct target_module *modules, size_t n,
				  const struct runtime_descriptor *descriptor, const struct known *known,
				  struct runtime *ret, bool *found_ret)
{
	for (const char *const *name = descriptor->file_names; name && *name; name++) {
		for (size_t i = 0; i < n; i++) {
			const struct runtime_descriptor *behind;

			if (!modules[i].path || !runtime_file_is(modules[i].path, *name) ||
			    is_known(known, &modules[i]))
				continue;
			struct error *err = find_actual_runtime(t, &modules[i], *name, descriptor, &behind);

			*found_ret = true;
			return err ? err : fill_runtime(behind, &modules[i], false, ret);
		}
	}
	return NULL;
}

static struct error *find_named(struct target *t, const struct known *known, struct runtime *ret, bool *found_ret)
{
	const struct target_module *modules;
	size_t n;
	struct error *err = target_modules(t, &modules, &n);

	*found_ret = false;
	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i && !err && !*found_ret; i++)
		err = find_by_name(t, modules, n, *i, known, ret, found_ret);
	return err;
}

struct error *runtime_find(struct target *t, struct runtime *ret)
{
	bool found;
	struct error *err = absent_check_emulator(t);

	if (!err)
		err = find_named(t, &(struct known){0}, ret, &found);
	if (!err && !found)
		err = find_by_symbol(t, ret, &found);
	return err || found ? err : absent_explain(t);
}

/* Finds a runtime in the executable, in addition to the mapped ones. */
static struct error *find_in_executable(struct target *t, const struct known *known, struct runtime *ret,
					bool *found_ret)
{
	const struct target_module *modules;
	size_t n;
	struct error *err = target_modules(t, &modules, &n);

	/* The executable is the first module in link order. */
	if (err || n == 0 || !modules[0].path || is_known(known, &modules[0]))
		return err;
	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i && !err && !*found_ret; i++) {
		if (!(*i)->symbol)
			continue;
		err = check_export(t, &modules[0], (*i)->symbol, found_ret);
		if (!err && *found_ret)
			err = fill_runtime(*i, &modules[0], true, ret);
	}
	return err;
}

struct error *runtime_find_more(struct target *t, const uint64_t *known, size_t n, struct runtime *ret, bool *found_ret)
{
	struct known all = {known, n};
	struct error *err = find_named(t, &all, ret, found_ret);

	return err || *found_ret ? err : find_in_executable(t, &all, ret, found_ret);
}

struct error *runtime_check_symbols(struct target *t, const struct runtime *r)
{
	return r->descriptor->check_symbols ? r->descriptor->check_symbols(t, r) : NULL;
}

void runtime_deinit(struct runtime *r)
{
	free(r->path);
	r->path = NULL;
}
