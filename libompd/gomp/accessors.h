/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Derive libgomp's data layout from the code of its exported functions in the target.
 * gomp/backend.c calls it once per process; the fuzz target calls it too.
 */
#ifndef OMPDD_LIBOMPD_GOMP_ACCESSORS_H
#define OMPDD_LIBOMPD_GOMP_ACCESSORS_H

#include "gomp/layout.h"

/*
 * Fill @gomp's TLS bases, variables and widths, and the layout fields in @seen that an accessor
 * proves. The other fields are OFFSET_UNKNOWN. Errors:
 * - incompatible: the thread record, its team, its numbers or the current task cannot be found, or
 *   two accessors disagree. *why is a constant text.
 * - unavailable: the dynamic linker has not relocated libgomp yet.
 */
ompd_rc_t gomp_accessors_read(ompd_address_space_context_t *context, struct gomp *gomp, struct gomp_layout *seen,
			      const char **why);

#endif
