/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds threads that execute a target region on the host, for runtimes that clear the thread's record meanwhile. The
 * stack shows the frames of the runtime with the copy of the record, and the library proves the copy.
 */
#ifndef OMPDD_OPENMP_HOST_TARGET_H
#define OMPDD_OPENMP_HOST_TARGET_H

#include "openmp/model/walk/walk_pass.h"

/*
 * Reports the frames to the library. Call it within the library's view, before walk_threads(). Does nothing for other
 * runtimes and for programs without target regions. A thread that runs in observe mode has no known frames.
 */
MUST_USE struct error *host_targets_report(struct walk *w);

#endif
