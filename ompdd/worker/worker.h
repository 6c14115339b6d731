/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The state of a worker process: its one target, the hosted OMPD library, the requesting connection, and the present
 * view of the target. Handlers in methods/ get it as their context.
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
	uint64_t core_space;	/* as in struct target_core_options */
	unsigned request_cpu_s; /* processor time per request for long computations on a target's files; 0: no limit */
	struct rlimit core_limit;	 /* RLIMIT_CORE of launched programs; the worker's own is 0 */
	struct target *target;		 /* NULL before target.attach */
	struct runtimes *runtimes;	 /* NULL before target.attach */
	struct handles *handles;	 /* wire handles of all connections */
	int64_t client;			 /* the connection whose request is being answered */
	int64_t holder;			 /* the connection that holds the target stopped; -1: none */
	uint64_t epoch;			 /* number of the present or last view; the first is 1 */
	struct worker_stop stop;	 /* why it is held */
	struct breakpoints *breakpoints; /* of all connections */
	struct step *step;		 /* the running step, or the last one */
	struct serialize serialize;	 /* regions that shall have one thread */
	struct sampler *sampler;	 /* the running profile, or the last one; NULL */
	int64_t exit_status;		 /* wait status of a traced process; -1: not known */
	bool launch_unanswered; /* the target was launched, and its client has not been notified: see target_keep() */
	bool detached;		/* target.detach was answered: leave the loop */
	struct buf events;	/* unsent, one per line (worker/emit.h) */
	struct buf told;	/* lines for the daemon itself, sent before the next answer (worker/emit.h) */
	uint32_t events_lost;	/* dropped events; reported before the next event */
	bool exec_reported;	/* the event "exec" was emitted */
	bool seen_running;	/* the target had not exited when the current request arrived */
	bool target_given;	/* the current request has used the target: see worker_need_target() */
};

enum view_consistency { VIEW_STOPPED, VIEW_RACY, VIEW_CORE };

/* How a result was obtained: `epoch`, `consistency`, `stopped_us` of every state result. */
struct view {
	uint64_t epoch;
	enum view_consistency consistency;
	int64_t stopped_us; /* 0: the target was not stopped for it */
};

/*
 * Set up @w for the target called @target_id: no target attached, no plugin, no holder. The caller has filled
 * w->plugin_options and w->write_event.
 */
MUST_USE struct error *worker_init(struct worker *w, const char *target_id);
/* Resume and detach the target, free everything. */
void worker_deinit(struct worker *w);

/* Return the main runtime (runtimes_main()), selected. Valid while a target is attached. */
struct model *worker_model(const struct worker *w);
/* Return runtime number @number, from 1, as in struct event_place; 0: worker_model(). Does not select it. */
struct model *worker_model_of(const struct worker *w, unsigned number);

/* Start the request of connection @client, which lasts until the next one. */
void worker_begin_request(struct worker *w, int64_t client);

/*
 * Check that there is a target, and that it is still the same program. A launched target that has called exec() is
 * opened again, but only by the first call of a request. Data of the target stay valid until the request's answer.
 * ERR_NO_SUCH_TARGET before target.attach, ERR_TARGET_EXITED, ERR_TARGET_EXEC.
 */
MUST_USE struct error *worker_need_target(struct worker *w);

/*
 * Run @fn on a view of the target. In stop mode, @fn reads a copy that was taken within a stop (bounded by
 * max_stop_ms). While a client holds the target, @fn runs within that stop. In observe mode, it runs without a stop.
 * @fn only reads and fills plain C structs; JSON is built after the target runs again. *@ret describes the view. The
 * target resumes also when @fn fails. @fn may be called again, and must then discard its result and start from scratch.
 * It may also be called before the stop, only to learn what must be copied.
 */
MUST_USE struct error *worker_capture(struct worker *w, struct error *(*fn)(struct worker *, void *), void *arg,
				      struct view *ret);
/*
 * Run @fn as worker_capture() does, if its reads cannot be predicted (stacks). The target stays stopped until @fn
 * returns.
 */
MUST_USE struct error *worker_capture_standing(struct worker *w, struct error *(*fn)(struct worker *, void *),
					       void *arg, struct view *ret);

/* Return ERR_TARGET_HELD when another connection than w->client holds the target stopped. */
MUST_USE struct error *worker_check_holder(const struct worker *w);

/*
 * Stop or resume the target for w->client (target.stop, target.resume). ERR_TARGET_HELD, ERR_NOT_STOPPED,
 * ERR_MODE_UNSUPPORTED.
 */
MUST_USE struct error *worker_hold(struct worker *w, struct view *ret);
MUST_USE struct error *worker_release(struct worker *w, int64_t *stopped_us_ret);

/* Handle a closed connection: resume the target if it holds it, and free its handles. */
void worker_client_gone(struct worker *w, int64_t client);

#endif
