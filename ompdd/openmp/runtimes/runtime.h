/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which OpenMP runtimes a process has mapped: profile, file, version, build id. */
#ifndef OMPDD_OPENMP_RUNTIME_H
#define OMPDD_OPENMP_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct profile; /* openmp/runtimes/profile.h */

struct runtime {
	const struct profile *profile; /* which one it is */
	char *path;		       /* of the module; owned */
	char version[32];	       /* "12"; "" when not known */
	char build_id[41];	       /* "" when the file has none */
	uint64_t start;		       /* address range of the module */
	uint64_t end;
	bool is_executable; /* linked statically: the module is the program itself */
};

struct target;

/* Look through the modules of @t for the first one. Errors: those of openmp/runtimes/absent.h and of reading @t. */
MUST_USE struct error *runtime_find(struct target *t, struct runtime *ret);
/* For another one than the @n that start at the addresses @known; *@found_ret: there is one, in *@ret. Of a runtime
 * that is linked statically only the executable's is seen. Errors: those of reading @t. */
MUST_USE struct error *runtime_find_more(struct target *t, const uint64_t *known, size_t n, struct runtime *ret,
					 bool *found_ret);
void runtime_deinit(struct runtime *r);

/*
 * Whether the file at @path is a runtime's whose files are called @stem: "libgomp.so.1", but also
 * "libgomp-a34b3233.so.1.0.0", as Python wheels rename it; not "libgomp-plugin-nvptx.so.1".
 */
bool runtime_file_is(const char *path, const char *stem);

/* The profile that has one of these file names for @path, and which (*@stem_ret, unless NULL; a literal). Another that
 * stands in for it may be behind. NULL: the name of no runtime. */
const struct profile *runtime_named(const char *path, const char **stem_ret);

/*
 * Why the runtime @r shows none of the symbols that its OMPD library asks for: ERR_RUNTIME_STRIPPED, or
 * ERR_PLUGIN_NOT_FOUND when it was built without OMPD; NULL when it has them, or is one that needs none.
 */
MUST_USE struct error *runtime_check_symbols(struct target *t, const struct runtime *r);

/* Whether @name is in any symbol table of the target. Errors: those of reading it. */
MUST_USE struct error *runtime_has_symbol(struct target *t, const char *name, bool *ret);

/* Where @name is in modules with file name @file (NULL: any). False: there is no such function or variable, or it
 * cannot be found out. */
bool runtime_symbol(struct target *t, const char *name, const char *file, uint64_t *ret);

/* The value of that variable of 8 bytes. *@ret: whether there is one that can be read; if not, 0. */
uint64_t runtime_read_variable(struct target *t, const char *name, const char *file, bool *ret);

#endif
