/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The list of known runtimes. A new runtime gets a row here. */
#include "openmp/runtimes/descriptor.h"

#include <stddef.h>

/* An unknown runtime that names an OMPD library. All data comes from that library. */
const struct runtime_descriptor descriptor_other = {
	.name = "unknown",
	.symbol = "ompd_dll_locations",
	.begins_inside = true,
};

/* LLVM's runtime has libgomp's entry points, too. The last row matches any other runtime that names an OMPD library. */
const struct runtime_descriptor *const runtime_descriptors[] = {
	&descriptor_libgomp, &descriptor_omprt, &descriptor_libomp, &descriptor_other, NULL,
};
