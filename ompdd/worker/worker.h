/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The state of a worker process: its one target, the hosted OMPD library, who asks, and how
 * the present view of the target was taken. Handlers in methods/ get it as their context.
 */
#ifndef OMPDD_WORKER_WORKER_H
#define OMPDD_WORKER_WORKER_H

#include <stdint.h>
#include <sys/resource.h>

#include "base/buf.h"
#include "base/error.h"
#include "openmp/plugin/plugin.h"
#include "target/target.h"
#include "worker/control.h"
#include "worker/serialize.h"

struct worker_event; /* worker/emit.h */
struct model;	     /* openmp/model/model.h */
struct runtimes;     /* openmp/model/runtimes.h */
struct handles;	     /* openmp/model/handles.h */
struct breakpoints;  /* worker/breakpoints.h */
struct step;	     /* worker/step.h */
struct sampler;	     /* worker/sampler.h */

#define WORKER_MAX_DEBUG_DIRS 16

struct worker {
	const char *target_id;		      /* "t1" */
	struct plugin_options plugin_options; /* from the command line */
	/* Appends the notification of an event, as JSON: methods/event.h. */
	struct error *(*write_event)(const struct worker *w, const struct worker_event *e, struct buf *out);
	const char *debug_dirs[WORKER_MAX_DEBUG_DIRS]; /* --debug-dir, borrowed */
	size_t n_debug_dirs;
	uint64_t core_space;		 /* as in struct target_core_options */
	unsigned request_cpu_s;		 /* of processor time, in what a target's files make long; 0: no limit */
	struct rlimit core_limit;	 /* RLIMIT_CORE of what it launches; its own is 0 */
	struct target *target;		 /* NULL before target.attach */
	struct runtimes *runtimes;	 /* of the target; NULL before target.attach */
	struct handles *handles;	 /* wire handles of all connections */
	int64_t client;			 /* the connection whose request is being answered */
	int64_t holder;			 /* the connection that holds the target stopped; -1: nobody */
	uint64_t epoch;			 /* of the present or last view; the first is 1 */
	struct worker_stop stop;	 /* why it is held */
	struct breakpoints *breakpoints; /* of all connections */
	struct step *step;		 /* that goes on, or was the last */
	struct serialize serialize;	 /* regions that are to have one thread */
	struct sampler *sampler;	 /* of the profile that goes on, or was the last; NULL */
	int64_t exit_status;		 /* wait status of a process that was traced to its end; -1: not known */
	bool launch_unanswered;		 /* its target was launched, and nobody has been told: see target_keep() */
	bool detached;			 /* target.detach was answered: leave the loop */
	struct buf events;		 /* that wait to be sent, one per line (worker/emit.h) */
	struct buf told;		 /* lines for the daemon itself, before the next answer (worker/emit.h) */
	uint32_t events_lost;		 /* that could not be kept; to be said before the next one */
	bool exec_reported;		 /* as an event */
	bool seen_running;		 /* when the request that is answered had come, the target had not ended */
	bool target_given;		 /* to the request that is answered: see worker_need_target() */
};

enum view_consistency { VIEW_STOPPED, VIEW_RACY, VIEW_CORE };

/* How a result was obtained: `epoch`, `consistency`, `stopped_us` of every state result. */
struct view {
	uint64_t epoch;
	enum view_consistency consistency;
	int64_t stopped_us; /* 0 when nothing was stopped for it */
};

/*
 * Set up @w for the target called @target_id: no target attached, no plugin, nobody holds. The
 * caller has filled w->plugin_options and w->write_event.
 */
MUST_USE struct error *worker_init(struct worker *w, const char *target_id);
/* Resume and detach the target, free everything. */
void worker_deinit(struct worker *w);

/* The runtime that is used most (runtimes_main()), selected; while a target is attached. */
struct model *worker_model(const struct worker *w);
/* Runtime number @number, from 1, as struct event_place has it; 0: worker_model(). Not selected. */
struct model *worker_model_of(const struct worker *w, unsigned number);

/* A request of connection @client is answered from now on, until the next one. */
void worker_begin_request(struct worker *w, int64_t client);

/*
 * Check that there is a target, and that it is still the same program. A launched target that has called exec() is
 * opened again, but only by the first call of a request: what a request has taken of the target stays valid until its
 * answer. ERR_NO_SUCH_TARGET before target.attach, ERR_TARGET_EXITED, ERR_TARGET_EXEC.
 */
MUST_USE struct error *worker_need_target(struct worker *w);

/*
 * Run @fn on a view of the target: in stop mode on a copy that was taken within a stop (bounded by max_stop_ms), or
 * within the stop that a client holds, in observe mode without. @fn only reads and fills plain C structs; JSON is built
 * after the target runs again. *@ret says how. An @fn that fails still resumes the target. May call @fn again (after
 * discarding: @fn must start from scratch each time), also, with nothing to come of it, before the stop: to see what is
 * to be copied.
 */
MUST_USE struct error *worker_capture(struct worker *w, struct error *(*fn)(struct worker *, void *), void *arg,
				      struct view *ret);
/* The same for an @fn of which nobody knows before the stop what it will read (stacks): the target stands until it
 * returns. */
MUST_USE struct error *worker_capture_standing(struct worker *w, struct error *(*fn)(struct worker *, void *),
					       void *arg, struct view *ret);

/* ERR_TARGET_HELD when another connection than w->client holds the target stopped. */
MUST_USE struct error *worker_check_holder(const struct worker *w);

/* target.stop and target.resume on behalf of w->client. ERR_TARGET_HELD, ERR_NOT_STOPPED, ERR_MODE_UNSUPPORTED. */
MUST_USE struct error *worker_hold(struct worker *w, struct view *ret);
MUST_USE struct error *worker_release(struct worker *w, int64_t *stopped_us_ret);

/* A connection is gone: resume what it held, free its handles. */
void worker_client_gone(struct worker *w, int64_t client);

#endif
