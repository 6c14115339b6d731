/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Steps into and out of parallel regions: they begin with a resume and end, some time, with a stop. One at a time in a
 * target; whatever else stops the target ends it, too.
 */
#ifndef OMPDD_WORKER_STEP_H
#define OMPDD_WORKER_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum step_kind {
	STEP_INTO_PARALLEL, /* until all members of the next region's team stand at its function's first instruction */
	STEP_OUT_OF_PARALLEL, /* until the thread that encountered the region is behind it */
	STEP_INSTRUCTION,     /* at once, with all other threads standing */
	STEP_OVER_PARALLEL,   /* until it is behind its next region, or the one that begins where it stands */
};

struct step;
struct target_event;
struct worker;

/* NULL when memory is out. */
struct step *step_create(void);
void step_destroy(struct step *s);

/*
 * Begin a step of thread @tid of the target, which w->client holds. An instruction is over on return, and the target
 * held in a new epoch; else it runs on return. ERR_STEP_IMPOSSIBLE (no such thread, or not in a region),
 * ERR_NOT_STOPPED, ERR_TARGET_HELD, those of events_find_regions() and region_encountering(),
 * ERR_BREAKPOINT_IMPOSSIBLE. The target stays held then.
 */
MUST_USE struct error *step_begin(struct worker *w, enum step_kind kind, pid_t tid);

enum step_verdict {
	STEP_NOT_MINE, /* the hit has nothing to do with a step */
	STEP_ON_ITS_WAY,
	STEP_OVER, /* the target is to be held for step_client() */
};

/* A thread came to a place and all stand. */
enum step_verdict step_hit(struct worker *w, const struct target_event *e);

/* The target stands, for whatever reason: the step, if there is one, is over. */
void step_end(struct worker *w);
/* Connection @client is gone; the target is stopped to end its step. */
void step_client_gone(struct worker *w, int64_t client);
/* So is thread @tid: its step will never come to its end. */
void step_thread_gone(struct worker *w, pid_t tid);
/* The target is gone, or its tracer. */
void step_forget(struct worker *w);

bool step_is_active(const struct step *s);
/* Of the step that goes on, or of the last one. */
int64_t step_client(const struct step *s);
enum step_kind step_kind(const struct step *s);
pid_t step_thread(const struct step *s);
/* The members that have come to the region's function; borrowed until the next step. */
const pid_t *step_arrived(const struct step *s, size_t *n_ret);
/* Of that team; 0: not known yet. */
int64_t step_team_size(const struct step *s);
/* Which has the region that it was into, over or out of, as struct event_place has it; 0: none. */
unsigned step_runtime(const struct step *s);

/* "into_parallel"; literals. */
const char *step_kind_name(enum step_kind kind);

#endif
