/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An unknown runtime that names an OMPD library. All data comes from that library. */
#include "openmp/runtimes/profile.h"

const struct profile profile_other = {
	.name = "unknown",
	.symbol = "ompd_dll_locations",
	.begins_inside = true,
};
