/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Explains why a process or core shows no OpenMP runtime: one reason and one hint for each cause, from evidence. */
#ifndef OMPDD_OPENMP_ABSENT_H
#define OMPDD_OPENMP_ABSENT_H

#include "base/error.h"

struct target;

/*
 * Returns ERR_PROGRAM_EMULATED if @t is an emulator that keeps its program's memory to itself. Then a mapped runtime
 * cannot be read. Returns NULL for any other process.
 */
struct error *absent_check_emulator(struct target *t);

/*
 * Returns the reason why no module of @t is an OpenMP runtime. Errors: ERR_CORE_FILE_MISSING, ERR_CORE_FILE_MISMATCH
 * and ERR_CORE_NOTES_MISSING (cores only), ERR_PROGRAM_EMULATED, ERR_PROGRAM_STRIPPED. ERR_NO_OPENMP_RUNTIME is
 * returned only if nothing can hide a runtime.
 */
struct error *absent_explain(struct target *t);

/* Replaces the hint of @err by the hint for cores, if @t is a core and its error code has such a hint. Returns @err. */
struct error *absent_hint(struct target *t, struct error *err TAKES);

#endif
