/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the number of the device that a thread waits for, as the program passed it to the runtime. */
#ifndef OMPDD_OPENMP_STACK_DEVICE_H
#define OMPDD_OPENMP_STACK_DEVICE_H

#include "openmp/stacks/stacks.h"

/*
 * Finds the number of the device that the construct at the end of segment @segment of thread number @i uses. Segment's
 * code must have called an entry point of CONSTRUCT_TARGET. The number is proven by the code of the caller: it passed a
 * constant, or a value in a register that is not lost, or an argument of its own with such a source. For a construct
 * without device clause it is default-device-var of the encountering task. Returns false if it is not proven.
 */
bool stack_device_find(struct stacks *st, size_t i, uint32_t segment, int32_t *ret);

#endif
