/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Works around the known faults of LLVM's OMPD library (releases 15 to 22), all in one place. openmp/runtimes/library
 * puts these routines before the library's when its version string is LLVM's. Results list them as plugin.quirks.
 */
#ifndef OMPDD_OPENMP_QUIRKS_LLVM_H
#define OMPDD_OPENMP_QUIRKS_LLVM_H

struct library_quirks;

extern const struct library_quirks quirks_llvm;

#endif
