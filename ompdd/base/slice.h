/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sets the time slice of the calling thread: how long it runs before other threads get their turn. */
#ifndef OMPDD_BASE_SLICE_H
#define OMPDD_BASE_SLICE_H

#include <stdbool.h>
#include <stdint.h>

/* The kernel's minimum. */
#define SLICE_SHORTEST_NS 100000u
#define SLICE_DEFAULT	  0u

/*
 * Set the slice, in nanoseconds of processor time; SLICE_DEFAULT: the kernel's default. A thread with a short slice
 * gets a processor sooner when it wakes, but no more processor time in total. Returns false if this kernel has no
 * slices (before Linux 6.12), or if the thread does not use the normal policy.
 */
bool slice_set(uint64_t ns);

#endif
