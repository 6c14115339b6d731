/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the unit of Fortran's input and output whose lock a thread waits for. Supports libgfortran 3 to 5: its
 * statements pass a record on the caller's stack, which starts with flags, unit, file name and line.
 */
#ifndef OMPDD_OPENMP_STACK_FORTRAN_H
#define OMPDD_OPENMP_STACK_FORTRAN_H

#include "openmp/stacks/stacks.h"

/*
 * Finds the unit for thread number @i of @st, which waits for the mutex at @mutex. Returns false unless the code of its
 * caller proves it: another mutex, another library, or code of an unknown form. May be called when the target runs
 * again.
 */
bool stack_fortran_find_unit(struct stacks *st, size_t i, uint64_t mutex, int32_t *ret);

#endif
