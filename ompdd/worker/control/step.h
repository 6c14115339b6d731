/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Steps into and out of parallel regions. A step starts with a resume and ends with a stop. A target has one step at a
 * time. Any other stop of the target ends the step, too.
 */
#ifndef OMPDD_WORKER_STEP_H
#define OMPDD_WORKER_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum step_kind {
	STEP_INTO_PARALLEL,   /* until all members of the next region's team are stopped at its function's first
				 instruction */
	STEP_OUT_OF_PARALLEL, /* until the encountering thread has left the region */
	STEP_INSTRUCTION,     /* at once, while all other threads are stopped */
	STEP_OVER_PARALLEL, /* until the thread has left its next region, or the region that starts where it is stopped
			     */
};

struct step;
struct target_event;
struct worker;

/* Create an idle step. Returns NULL when out of memory. */
struct step *step_create(void);
void step_destroy(struct step *s);

/*
 * Prepare a step of thread @tid of the target, which w->client holds: worker_step() lets the target run.
 * ERR_STEP_IMPOSSIBLE (no such thread, or not in a region), ERR_NOT_STOPPED, ERR_TARGET_HELD, errors of
 * events_find_regions() and region_encountering(), ERR_BREAKPOINT_IMPOSSIBLE. After an error the target stays held.
 */
MUST_USE struct error *step_begin(struct worker *w, enum step_kind kind, pid_t tid);

enum step_verdict {
	STEP_NOT_MINE, /* the hit does not belong to a step */
	STEP_ON_ITS_WAY,
	STEP_OVER, /* hold the target for step_client() */
};

/* Handle the arrival of a thread at a place. All threads are stopped. */
enum step_verdict step_hit(struct worker *w, const struct target_event *e);

/* End the step, if there is one, because the target is stopped for any reason. */
void step_end(struct worker *w);
/* End the step of the closed connection @client. Stops the target for it. */
void step_client_gone(struct worker *w, int64_t client);
/* End the step of the exited thread @tid: it can never finish. */
void step_thread_gone(struct worker *w, pid_t tid);
/* Drop the step: the target or its tracer has exited. */
void step_forget(struct worker *w);

bool step_is_active(const struct step *s);
/* Return the connection of the running step, or of the last one. */
int64_t step_client(const struct step *s);
enum step_kind step_kind(const struct step *s);
pid_t step_thread(const struct step *s);
/* Return the members that have reached the region's function; borrowed until the next step. */
const pid_t *step_arrived(const struct step *s, size_t *n_ret);
/* Return the runtime of the region of the step, as in struct event_place; 0: no region. */
unsigned step_runtime(const struct step *s);

/* Return the protocol's name, such as "into_parallel", a literal. */
const char *step_kind_name(enum step_kind kind);

#endif
