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

#define STACK_DEVICE_NONE    (-1) /* not code of a device */
#define STACK_DEVICE_UNKNOWN (-2) /* code of a device without a proven number */

/*
 * Finds the innermost frames of thread number @i that execute code of a device, which the host's plugin called. Returns
 * how many, often 0. *@ret: the number of the device, or STACK_DEVICE_UNKNOWN.
 */
uint32_t stack_device_find_code(struct stacks *st, size_t i, int32_t *ret);

#endif
