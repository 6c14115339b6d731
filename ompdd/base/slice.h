/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long the calling thread runs before others get their turn. */
#ifndef OMPDD_BASE_SLICE_H
#define OMPDD_BASE_SLICE_H

#include <stdbool.h>
#include <stdint.h>

/* The shortest that the kernel knows. */
#define SLICE_SHORTEST_NS 100000u
#define SLICE_DEFAULT	  0u

/*
 * Set it, in nanoseconds of processor time; SLICE_DEFAULT: as the kernel would. Who asks for little at a time is given
 * a processor sooner when it wakes, and no more of it in all. False: this kernel has none to set (before Linux 6.12),
 * or the thread is not one of the ordinary policy.
 */
bool slice_set(uint64_t ns);

#endif
