/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Collects the evidence that separates a program without OpenMP from a program with a hidden runtime. */
#include "openmp/runtimes/absent.h"

#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "openmp/runtimes/descriptor.h"
#include "target/modules/emulator.h"
#include "target/modules/modules.h"
#include "target/target.h"

/* Limits of the file names and symbols that a message lists. */
#define MAX_MARKS 16

/* Hints */

/* Hints for cores. The hints in protocol/errors.json are for processes; a core does not change. */
static const struct {
	enum error_code code;
	const char *hint;
} core_hints[] = {
	{ERR_NO_OPENMP_RUNTIME, "was it compiled with -fopenmp? A core shows what was loaded when it was written"},
	{ERR_OPENMP_NOT_STARTED, "the program had entered no parallel region when the core was written"},
	{ERR_PROGRAM_STRIPPED, "name the unstripped program with exe (ompdctl --exe), or the folder of its debug file "
			       "with debug_dirs (ompdctl --debug-dir)"},
};

struct error *absent_hint(struct target *t, struct error *err TAKES)
{
	for (size_t i = 0; i < sizeof(core_hints) / sizeof(core_hints[0]); i++) {
		if (target_mode(t) == TARGET_CORE && error_is(err, core_hints[i].code))
			return error_hint(err, "%s", core_hints[i].hint);
	}
	return err;
}

/* Emulators */

static struct error *explain_emulation(struct target *t, const char *emulator)
{
	struct error *err = error_create(
		ERR_PROGRAM_EMULATED,
		"process %d runs its program under %s (%s): an OpenMP runtime in the emulator cannot be read",
		(int)target_pid(t), emulator, target_exe(t));
	return error_detail(err, "emulator", "%s", emulator);
}

struct error *absent_check_emulator(struct target *t)
{
	const char *emulator = target_emulator(t);

	/* The emulated program and the kernel see the mapped libraries at different addresses. */
	return emulator && !strcmp(emulator, "qemu") ? explain_emulation(t, emulator) : NULL;
}

/* Programs */

/* "a, b or c" */
static void join_items(const char *const *items, size_t n, char *ret, size_t size)
{
	size_t len = 0;

	ret[0] = '\0';
	for (size_t i = 0; i < n && len < size; i++)
		len += (size_t)snprintf(ret + len, size - len, "%s%s",
					i == 0	     ? ""
					: i + 1 == n ? " or "
						     : ", ",
					items[i]);
}

/* List the names by which runtime_find() recognises a runtime, as text for users. */
static void list_marks(char *files, char *symbols, size_t size)
{
	const char *file_list[MAX_MARKS] = {NULL}, *symbol_list[MAX_MARKS] = {NULL};
	size_t n_files = 0, n_symbols = 0;

	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i; i++) {
		for (const char *const *name = (*i)->file_names; name && *name && n_files < MAX_MARKS; name++)
			file_list[n_files++] = *name;
		if ((*i)->symbol && n_symbols < MAX_MARKS)
			symbol_list[n_symbols++] = (*i)->symbol;
	}
	join_items(file_list, n_files, files, size);
	join_items(symbol_list, n_symbols, symbols, size);
}

/*
 * Sets *@ret to whether @module has names for its own functions. Either it has a symbol table, or it exports all
 * functions (-rdynamic), including its entry point.
 */
static struct error *has_names(struct target *t, const struct target_module *module, bool *ret)
{
	static const char *const names[] = {"main", "_start"};

	*ret = false;
	target_prefer_module(t, module->start);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !*ret; i++) {
		struct target_symbol symbol;
		struct error *err =
			target_symbol(t, names[i], module->path ? path_file_name(module->path) : NULL, &symbol);

		*ret = !err && symbol.module == module;
		if (err && !error_catch(&err, ERR_SYMBOL_NOT_FOUND))
			return err;
	}
	return NULL;
}

/* Sets *@ret to whether the executable may have a runtime without names: it is stripped, and it can start threads. */
static struct error *may_hide_runtime(struct target *t, bool *ret)
{
	const struct target_module *modules;
	size_t n;
	struct error *err = target_modules(t, &modules, &n);

	*ret = false;
	if (err || !n)
		return err;
	/* The executable is the first module in link order. */
	err = has_names(t, &modules[0], ret);
	*ret = !err && !*ret && target_can_start_threads(t, &modules[0]);
	return err;
}

static struct error *explain_absence(struct target *t)
{
	char files[MAX_MARKS * 16], symbols[sizeof(files)];
	bool may_hide;
	struct error *err = may_hide_runtime(t, &may_hide);

	if (err)
		return err;
	list_marks(files, symbols, sizeof(files));
	if (may_hide)
		return error_create(ERR_PROGRAM_STRIPPED,
				    "process %d shows no OpenMP runtime: no library is named %s, and %s is stripped: a "
				    "runtime linked into it has no names",
				    (int)target_pid(t), files, target_exe(t));
	return error_create(ERR_NO_OPENMP_RUNTIME,
			    "process %d (%s) has no OpenMP runtime mapped: no library is named %s, and no module has "
			    "the symbol %s",
			    (int)target_pid(t), target_exe(t), files, symbols);
}

struct error *absent_explain(struct target *t)
{
	const struct target_module *modules;
	size_t n;
	struct error *err = target_modules(t, &modules, &n);

	if (err)
		return err;
	if (target_emulator(t))
		return explain_emulation(t, target_emulator(t));
	for (size_t i = 0; i < n && !err; i++)
		err = target_missing_file(t, modules[i].start);
	if (!err && !n)
		err = target_missing_file(t, 0);
	return err ? error_wrap(err, "no OpenMP runtime was found") : absent_hint(t, explain_absence(t));
}
