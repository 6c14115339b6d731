/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A runtime that nothing is known of but that it names an OMPD library: it is taken at its word. */
#include "openmp/runtimes/profile.h"

const struct profile profile_other = {
	.name = "unknown",
	.symbol = "ompd_dll_locations",
	.begins_inside = true,
};
