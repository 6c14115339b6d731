/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds threads that execute a target region on the host, for runtimes that clear the thread's record meanwhile. The
 * stack shows the frames of the runtime with the copy of the record, and the library proves the copy.
 */
#ifndef OMPDD_OPENMP_HOST_TARGET_H
#define OMPDD_OPENMP_HOST_TARGET_H

#include "openmp/model/walk/walk_pass.h"

/*
 * Reports to the library the frames, and the threads in constructs for devices. Call it within the library's view,
 * before walk_threads(). Does nothing for other runtimes and for programs without target regions. A thread that runs in
 * observe mode has no known frames.
 */
MUST_USE struct error *host_targets_report(struct walk *w);

/*
 * Reports @thread, the process's first one, to the library as the initial thread, if the runtime has started to use
 * devices. A program may do that before its first parallel region. Then the runtime has not written to a record.
 */
MUST_USE struct error *host_targets_report_initial(struct walk *w, const struct snapshot_thread *thread);

#endif
