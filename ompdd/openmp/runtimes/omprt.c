/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Our own runtime, in libgomp's place. It says all that OMPD asks for; "ompd_layout" is the table of its memory, which no other has. */
#include "openmp/runtimes/profile.h"

const struct profile profile_omprt = {
	.name = "omprt",
	.stands_in_for = "libgomp",
	.proof = "ompd_layout",
	.names_own = true,
	.begins_inside = true,
};
