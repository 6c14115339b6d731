/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Faults of an OMPD library that are worked around. They belong to the library, which may be loaded for any runtime. */
#ifndef OMPDD_OPENMP_QUIRKS_H
#define OMPDD_OPENMP_QUIRKS_H

#include <stdbool.h>

struct ompd_routines;

struct library_quirks {
	const char *const *names; /* for users; ends with NULL */
	/* Returns whether ompd_get_version_string() of that library returned this text. */
	bool (*is_needed)(const char *version_string);
	/* Replaces routines of the table. Used for one library per process. */
	void (*apply)(struct ompd_routines *routines);
};

#endif
