/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The list of known runtimes. A new runtime gets a row here. */
#include "openmp/runtimes/profile.h"

#include <stddef.h>

/* LLVM's runtime has libgomp's entry points, too. The last row matches any other runtime that names an OMPD library. */
const struct profile *const profiles[] = {
	&profile_libgomp, &profile_omprt, &profile_libomp, &profile_other, NULL,
};
