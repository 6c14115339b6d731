/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Known faults of LLVM's OMPD library (releases 15 to 22) and how they are worked around: all in one place.
 * openmp/runtimes/library puts these routines before the library's when it says that it is LLVM's; results name them as
 * plugin.quirks.
 */
#ifndef OMPDD_OPENMP_QUIRKS_LLVM_H
#define OMPDD_OPENMP_QUIRKS_LLVM_H

struct profile_quirks;

extern const struct profile_quirks quirks_llvm;

#endif
