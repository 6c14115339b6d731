/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recognising the OpenMP runtime of a process by its modules. */
#include "openmp/runtimes/runtime.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/target.h"

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "libgomp.so.1", but also "libgomp-a34b3233.so.1.0.0", as Python wheels rename it; not "libgomp-plugin-nvptx.so.1". */
static bool name_is(const char *path, const char *stem)
{
	const char *name = file_name(path);
	size_t len = strlen(stem);

	if (strncmp(name, stem, len) != 0 || !strstr(name, ".so"))
		return false;
	if (strncmp(name + len, "-plugin", 7) == 0)
		return false;
	return name[len] == '.' || name[len] == '-';
}

/* "GCC: (Debian 12.2.0-14) 12.2.0" -> "12"; "clang version 16.0.6" -> "16". */
static void version_from_compiler(const char *compiler, char *ret, size_t size)
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

static struct error *fill(enum runtime_kind kind, const struct target_module *module,
			  bool is_executable, struct runtime *ret)
{
	struct runtime r = {
		.kind = kind,
		.start = module->start,
		.end = module->end,
		.is_executable = is_executable,
	};

	r.path = strdup(module->path);
	if (!r.path)
		return &error_nomem;
	snprintf(r.build_id, sizeof(r.build_id), "%s", module->build_id);
	/* LLVM's has clang's release when clang built it; gcc's says nothing of it. */
	if (kind != RUNTIME_LIBOMP || (module->compiler && strstr(module->compiler, "clang version")))
		version_from_compiler(module->compiler, r.version, sizeof(r.version));
	*ret = r;
	return NULL;
}

static struct error *exports(struct target *t, const struct target_module *module, const char *name, bool *ret)
{
	struct target_symbol symbol;
	struct error *err = target_symbol(t, name, file_name(module->path), &symbol);

	*ret = !err && symbol.module == module;
	return error_catch(&err, ERR_SYMBOL_NOT_FOUND) ? NULL : err;
}

/*
 * What has libgomp's name: ours, with a table of its own memory that no other has; LLVM's, which has libgomp's entry points, too, and is
 * made to take its place; or libgomp.
 */
static struct error *kind_of_libgomp(struct target *t, const struct target_module *module, enum runtime_kind *ret)
{
	bool ours, llvms = false;
	struct error *err = exports(t, module, "ompd_layout", &ours);

	if (!err && !ours)
		err = exports(t, module, "__kmpc_fork_call", &llvms);
	if (!err)
		*ret = ours ? RUNTIME_OMPRT : llvms ? RUNTIME_LIBOMP : RUNTIME_LIBGOMP;
	return err;
}

/* Symbols that tell a runtime which carries no telling file name (linked into the program). */
static struct error *find_by_symbol(struct target *t, struct runtime *ret, bool *found_ret)
{
	static const struct {
		const char *symbol;
		enum runtime_kind kind;
	} marks[] = {
		{"GOMP_parallel", RUNTIME_LIBGOMP},
		{"__kmpc_fork_call", RUNTIME_LIBOMP},
		{"ompd_dll_locations", RUNTIME_OTHER},
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		struct target_symbol symbol;
		struct error *err = target_symbol(t, marks[i].symbol, NULL, &symbol);

		if (error_catch(&err, ERR_SYMBOL_NOT_FOUND))
			continue;
		if (err)
			return err;
		if (!symbol.module)
			continue;
		*found_ret = true;
		return fill(marks[i].kind, symbol.module, true, ret);
	}
	return NULL;
}

/* Whether @name is there, in whatever table. */
static struct error *has_symbol(struct target *t, const char *name, bool *ret)
{
	struct target_symbol symbol;
	struct error *err = target_symbol(t, name, NULL, &symbol);

	*ret = !err;
	return error_catch(&err, ERR_SYMBOL_NOT_FOUND) ? NULL : err;
}

/* What was looked for; and where it may be all the same, for all that can be seen. */
static struct error *none_found(struct target *t)
{
	bool has_names;
	struct error *err = has_symbol(t, "main", &has_names);

	if (err)
		return err;
	err = error_create(ERR_NO_OPENMP_RUNTIME,
			   "process %d (%s) has no OpenMP runtime mapped: no library is named libgomp, libomp or libiomp5, and no "
			   "module has the symbol GOMP_parallel, __kmpc_fork_call or ompd_dll_locations",
			   (int)target_pid(t), target_exe(t));
	error_detail(err, "stripped", "%s", has_names ? "no" : "yes");
	if (has_names)
		return err;
	return error_hint(err,
			  "%s is stripped: a runtime that is linked into it statically has no names there, and cannot be found. Run it "
			  "unstripped, name the folder of its debug file with --debug-dir DIR, or link the runtime dynamically",
			  target_exe(t));
}

struct error *runtime_find(struct target *t, struct runtime *ret)
{
	static const struct {
		const char *stem;
		enum runtime_kind kind;
	} names[] = {
		{"libgomp", RUNTIME_LIBGOMP},
		{"libomp", RUNTIME_LIBOMP},
		{"libiomp5", RUNTIME_LIBOMP},
	};
	const struct target_module *modules;
	struct error *err;
	bool found = false;
	size_t n;

	err = target_modules(t, &modules, &n);
	if (err)
		return err;
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		for (size_t i = 0; i < n; i++) {
			enum runtime_kind kind = names[k].kind;

			if (!modules[i].path || !name_is(modules[i].path, names[k].stem))
				continue;
			if (kind == RUNTIME_LIBGOMP)
				err = kind_of_libgomp(t, &modules[i], &kind);
			return err ? err : fill(kind, &modules[i], false, ret);
		}
	}
	err = find_by_symbol(t, ret, &found);
	return err || found ? err : none_found(t);
}

struct error *runtime_check_symbols(struct target *t, const struct runtime *r)
{
	const char *build_id = r->build_id[0] ? r->build_id : "unknown";
	bool has_ompd, has_own = true;
	struct error *err;

	if (r->kind != RUNTIME_LIBOMP)
		return NULL;
	err = has_symbol(t, "ompd_dll_locations", &has_ompd);
	/* This one is local, too, and in every build. */
	if (!err && !has_ompd)
		err = has_symbol(t, "__kmp_threads", &has_own);
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

void runtime_deinit(struct runtime *r)
{
	free(r->path);
	r->path = NULL;
}

const char *runtime_kind_name(enum runtime_kind kind)
{
	switch (kind) {
	case RUNTIME_LIBGOMP:
		return "libgomp";
	case RUNTIME_LIBOMP:
		return "libomp";
	case RUNTIME_OMPRT:
		return "omprt";
	case RUNTIME_OTHER:
		break;
	}
	return "unknown";
}
