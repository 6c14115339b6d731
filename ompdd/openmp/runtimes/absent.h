/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Why a process or core shows no OpenMP runtime: one reason and one hint for each cause, from evidence. */
#ifndef OMPDD_OPENMP_ABSENT_H
#define OMPDD_OPENMP_ABSENT_H

#include "base/error.h"

struct target;

/*
 * Why the runtime of @t cannot be read even if one is mapped: the process is an emulator that keeps its program's
 * memory to itself (ERR_PROGRAM_EMULATED). NULL: no such reason.
 */
struct error *absent_check_emulator(struct target *t);

/*
 * Why no module of @t is an OpenMP runtime. ERR_CORE_FILE_MISSING, ERR_CORE_FILE_MISMATCH, ERR_CORE_NOTES_MISSING (of
 * cores), ERR_PROGRAM_EMULATED, ERR_PROGRAM_STRIPPED; ERR_NO_OPENMP_RUNTIME only where nothing hides one.
 */
struct error *absent_explain(struct target *t);

/* Give @err the hint of its code for a core, if @t is a core and that hint differs. Returns @err. */
struct error *absent_hint(struct target *t, struct error *err TAKES);

#endif
