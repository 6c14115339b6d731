/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decides whether a library that the target's memory names may be loaded into the worker. */
#ifndef OMPDD_OPENMP_VET_H
#define OMPDD_OPENMP_VET_H

#include <stddef.h>

#include "base/error.h"

#define VET_MAX_DIRS 32

/* The folders that libraries may lie in. vet_default_dirs() returns the system's library directories. */
struct vet_dirs {
	const char *dirs[VET_MAX_DIRS]; /* borrowed */
	size_t n;
	/*
	 * The target's runtime. A library beside it may be loaded if only root can have put it there. NULL: no runtime.
	 */
	const char *runtime;
};
void vet_default_dirs(struct vet_dirs *ret);

/*
 * Checks @path, or the bare name @path in each allowed directory. On success *@fd_ret is the open file and
 * *@canonical_ret its canonical path; the caller closes and frees them. Errors: ERR_PLUGIN_UNTRUSTED with details path,
 * component, reason; ERR_PLUGIN_NOT_FOUND if the file does not exist.
 */
MUST_USE struct error *vet_path(const char *path, const struct vet_dirs *dirs, int *fd_ret, char **canonical_ret);

/*
 * The next functions check other files that are loaded with the library @named. They return ERR_PLUGIN_UNTRUSTED with
 * the same details.
 */
struct error *vet_untrusted(const char *named, const char *component, const char *reason);
/* Checks that only root and we can put a file into @folder, or create the folder if it is missing. */
MUST_USE struct error *vet_folder(const char *named, const char *folder);
/*
 * Checks that only root and we can change or replace @file. *@canonical_ret is its canonical path; the caller frees it.
 */
MUST_USE struct error *vet_file(const char *named, const char *file, char **canonical_ret);

/* Returns whether @name is a file name of OMPD libraries: lib[a-z]ompd*.so[.N...], the letter being optional. */
bool vet_name_is_plausible(const char *name);

#endif
