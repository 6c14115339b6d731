/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* GNU's libgomp. It has no OMPD library: our own reads it from outside, and much is left to be found on stacks. */
#include <stddef.h>

#include "openmp/runtimes/profile.h"

static const char *const file_names[] = {"libgomp", NULL};

const struct profile profile_libgomp = {
	.name = "libgomp",
	.file_names = file_names,
	.symbol = "GOMP_parallel",
	.version_mark = "GCC ", /* of our own library */
	.is_read_by_own = true,
	.has_no_frames = true,
	.calls_program_only = true,
};
