/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Second derivation of libomp's layout: the code of the functions that programs call. */
#ifndef OMPDD_LIBOMPD_LIBOMP_ACCESSORS_H
#define OMPDD_LIBOMPD_LIBOMP_ACCESSORS_H

#include "code/walk.h"
#include "libomp/layout.h"

/*
 * Fill @libomp's variables and *@seen with the facts in the code of libomp's exported functions.
 * Uses @walk. incompatible: too few facts; *@why names the missing part.
 */
ompd_rc_t libomp_accessors_read(ompd_address_space_context_t *context, struct libomp *libomp, struct code_walk *walk,
				struct libomp_layout *seen, const char **why);

#endif
