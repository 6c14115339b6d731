/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The list of runtimes that are known; a new one has its row here. */
#include "openmp/runtimes/profile.h"

#include <stddef.h>

/* LLVM's runtime has libgomp's entry points too; the last one is whatever else names an OMPD library. */
const struct profile *const profiles[] = {
	&profile_libgomp, &profile_omprt, &profile_libomp, &profile_other, NULL,
};
