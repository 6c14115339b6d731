/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The life of a worker: its start and end, its target, and the connection that holds the target stopped. */
#ifndef OMPDD_WORKER_WORKER_H
#define OMPDD_WORKER_WORKER_H

#include "base/error.h"
#include "worker/context/context.h"
#include "worker/control/step.h"

/*
 * Set up @w for the target called @target_id: no target attached, no plugin, no holder. The caller has filled
 * w->plugin_options and w->write_event.
 */
MUST_USE struct error *worker_init(struct worker *w, const char *target_id);
/* Resume and detach the target, free everything. */
void worker_deinit(struct worker *w);

/*
 * Check that there is a target, and that it is still the same program. A launched target that has called exec() is
 * opened again, but only by the first call of a request. Data of the target stay valid until the request's answer.
 * ERR_NO_SUCH_TARGET before target.attach, ERR_TARGET_EXITED, ERR_TARGET_EXEC.
 */
MUST_USE struct error *worker_need_target(struct worker *w);

/*
 * Stop or resume the target for w->client (target.stop, target.resume). ERR_TARGET_HELD, ERR_NOT_STOPPED,
 * ERR_MODE_UNSUPPORTED.
 */
MUST_USE struct error *worker_hold(struct worker *w, struct view *ret);
MUST_USE struct error *worker_release(struct worker *w, int64_t *stopped_us_ret);

/*
 * Start a step of thread @tid of the target, which w->client holds. An instruction step is finished on return, and the
 * target is held in a new epoch. Other steps are running on return. Errors: those of worker_need_target(), step_begin()
 * and target_step(). After an error the target stays held.
 */
MUST_USE struct error *worker_step(struct worker *w, enum step_kind kind, pid_t tid);

/* Handle a closed connection: resume the target if it holds it, and free its handles. */
void worker_client_gone(struct worker *w, int64_t client);

#endif
