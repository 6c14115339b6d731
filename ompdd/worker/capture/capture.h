/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Views of the target: each reads one state of it. */
#ifndef OMPDD_WORKER_CAPTURE_H
#define OMPDD_WORKER_CAPTURE_H

#include "base/error.h"

struct view; /* worker/context/context.h */
struct worker;

/*
 * Run @fn on a view of the target. In stop mode, @fn reads a program whose threads all sleep, or a copy that was
 * taken within a stop of the threads that run (bounded by max_stop_ms). While a client holds the target, @fn runs
 * within that stop. In observe mode, it runs without a stop.
 * @fn only reads and fills plain C structs; JSON is built after the target runs again. *@ret describes the view. The
 * target resumes also when @fn fails. @fn may be called again, and must then discard its result and start from scratch.
 * It may also be called before the stop, only to learn what must be copied.
 */
MUST_USE struct error *worker_capture(struct worker *w, struct error *(*fn)(struct worker *, void *), void *arg,
				      struct view *ret);
/*
 * Run @fn as worker_capture() does, if its reads cannot be predicted (stacks). The threads that run stay stopped until
 * @fn returns.
 */
MUST_USE struct error *worker_capture_stopped(struct worker *w, struct error *(*fn)(struct worker *, void *), void *arg,
					      struct view *ret);

#endif
