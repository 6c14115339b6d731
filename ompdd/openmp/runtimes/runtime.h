/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the OpenMP runtimes that a process has mapped: descriptor, file, version, build id. */
#ifndef OMPDD_OPENMP_RUNTIME_H
#define OMPDD_OPENMP_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct runtime_descriptor; /* openmp/runtimes/descriptor.h */

struct runtime {
	const struct runtime_descriptor *descriptor; /* the runtime's descriptor */
	char *path;				     /* of the module; owned */
	char version[32];			     /* "12"; "" when not known */
	char build_id[41];			     /* "" when the file has none */
	uint64_t start;				     /* address range of the module */
	uint64_t end;
	bool is_executable; /* linked statically: the module is the program itself */
};

struct target;

/*
 * Finds the first OpenMP runtime among the modules of @t. Errors: those of openmp/runtimes/absent.h and of reading @t.
 */
MUST_USE struct error *runtime_find(struct target *t, struct runtime *ret);
/*
 * Finds another runtime than the @n runtimes that start at the addresses @known. Sets *@found_ret to whether *@ret has
 * one. A statically linked runtime is found only in the executable. Errors: those of reading @t.
 */
MUST_USE struct error *runtime_find_more(struct target *t, const uint64_t *known, size_t n, struct runtime *ret,
					 bool *found_ret);
void runtime_deinit(struct runtime *r);

/*
 * Returns whether the file at @path belongs to the runtime with the file stem @stem. "libgomp.so.1" matches "libgomp",
 * and so does "libgomp-a34b3233.so.1.0.0", a name that Python wheels give. "libgomp-plugin-nvptx.so.1" does not match.
 */
bool runtime_file_is(const char *path, const char *stem);

/*
 * Returns the descriptor whose file names include that of @path, and the name in *@stem_ret (a literal; may be NULL).
 * Another runtime may be in that file. Returns NULL if @path has no runtime's name.
 */
const struct runtime_descriptor *runtime_named(const char *path, const char **stem_ret);

/*
 * Returns why the runtime @r has no symbols for its OMPD library: ERR_RUNTIME_STRIPPED, or ERR_PLUGIN_NOT_FOUND if it
 * was built without OMPD. Returns NULL if it has them or needs no symbols.
 */
MUST_USE struct error *runtime_check_symbols(struct target *t, const struct runtime *r);

#endif
