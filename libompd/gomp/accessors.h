/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the code of libgomp's exported functions, read from the target, says about libgomp's data.
 * Called once per process by gomp/backend.c and by the fuzz target.
 */
#ifndef OMPDD_LIBOMPD_GOMP_ACCESSORS_H
#define OMPDD_LIBOMPD_GOMP_ACCESSORS_H

#include "gomp/layout.h"

/*
 * Fill @gomp's TLS bases, variables and widths, and into @seen the layout fields that some accessor
 * proves (the others are OFFSET_UNKNOWN). incompatible, with *why set to a constant text, when the
 * thread record, its team, numbers or current task cannot be found or two accessors disagree;
 * unavailable when the dynamic linker has not relocated libgomp yet.
 */
ompd_rc_t gomp_accessors_read(ompd_address_space_context_t *context, struct gomp *gomp, struct gomp_layout *seen,
			      const char **why);

#endif
