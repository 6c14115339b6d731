/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is known of an OpenMP runtime from outside, one table for each: how it is recognised, where its OMPD library is, and what its code
 * and that library do differently from others. Nothing outside of openmp/runtimes/ asks which runtime it is. What is not set is "no" and "none",
 * and right for a runtime with a faultless OMPD library of its own.
 */
#ifndef OMPDD_OPENMP_PROFILE_H
#define OMPDD_OPENMP_PROFILE_H

#include <stdbool.h>

#include "base/error.h"

struct ompd_routines;
struct runtime;
struct target;

/* Faults of an OMPD library that are worked around. They are the library's: it may be loaded for any runtime. */
struct profile_quirks {
	const char *const *names; /* for people; ends with NULL */
	/* Whether ompd_get_version_string() gave the text of that library. */
	bool (*is_needed)(const char *version_string);
	/* Replace routines of the table. One library per process. */
	void (*apply)(struct ompd_routines *routines);
};

struct profile {
	const char *name; /* `runtime.kind` on the wire */

	/* Recognition */

	/* The beginnings of its files' names ("libomp" of "libomp.so.5"); end with NULL. NULL: none is its own. */
	const char *const *file_names;
	/* Another's file name that it takes, and what its module exports then as that other's never does. */
	const char *stands_in_for;
	const char *proof;
	/* What shows it where no file name does: linked into the program, or unknown. */
	const char *symbol;
	/* Its version is the release of its compiler if that one's name is this ("clang version"). NULL: any compiler's. */
	const char *compiler;
	/* Its OMPD library's version string has the release behind this ("GCC "). */
	const char *version_mark;

	/* Its OMPD library */

	/* Our own libompd reads it: taken where the runtime names no library. */
	bool is_read_by_own;
	/* Our own libompd is the library that the runtime names: what is named need not be an allowed path. */
	bool names_own;
	/* The library may also lie beside the file that the runtime's path is a link to. */
	bool has_library_beside;
	/*
	 * Why @r, which this profile is of, shows nothing to its OMPD library, or NULL. NULL: it always does. For runtime_check_symbols().
	 */
	struct error *(*check_symbols)(struct target *t, const struct runtime *r);
	const struct profile_quirks *quirks;

	/* Stacks and frames */

	/* Frames are called canonical frame addresses, and are something else. */
	bool has_wrong_frame_kinds;
	/* Nothing says where the code of a task ends: it is found by calls on the stack, and each region has one there. */
	bool has_no_frames;
	/* All that its code calls through a pointer that it was given are functions of the program. */
	bool calls_program_only;
	/* Its compiler calls the code of some regions and tasks directly, or inlines it. */
	bool has_direct_calls;
	/* At ompd_bp_parallel_begin() the region is the thread's current one already. */
	bool begins_inside;
};

/* All of them, in the order in which they are looked for; ends with NULL. */
extern const struct profile *const profiles[];

/* One file each. */
extern const struct profile profile_libgomp; /* GNU's, dynamic or linked into the executable */
extern const struct profile profile_omprt;   /* ours, in libgomp's place */
extern const struct profile profile_libomp;  /* LLVM's or Intel's */
extern const struct profile profile_other;   /* unknown, but it names an OMPD library */

#endif
