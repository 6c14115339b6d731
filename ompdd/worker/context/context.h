/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The data of a worker process: its one target, the hosted OMPD library, the requesting connection, and the present
 * view of the target. Handlers in methods/ get it.
 */
#ifndef OMPDD_WORKER_CONTEXT_H
#define OMPDD_WORKER_CONTEXT_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"
#include "openmp/plugin/plugin.h"
#include "openmp/runtimes/event.h"
#include "target/target.h"

struct worker_event; /* worker/context/emit.h */
struct model;	     /* openmp/model/model.h */
struct runtimes;     /* openmp/model/runtimes.h */
struct handles;	     /* openmp/model/handle/handles.h */
struct breakpoints;  /* worker/control/breakpoints.h */
struct step;	     /* worker/control/step.h */
struct history;	     /* worker/history.h */
struct sampler;	     /* worker/sampler/sampler.h */

#define WORKER_MAX_DEBUG_DIRS 16

/* Why the target is held stopped. */
enum stop_reason { STOP_NONE, STOP_REQUEST, STOP_BREAKPOINT, STOP_LAUNCH, STOP_STEP };

struct worker_stop {
	enum stop_reason reason;
	pid_t tid;	     /* BREAKPOINT: the thread that hit it; STEP: the thread of the step */
	uint32_t breakpoint; /* number of the breakpoint */
	uint64_t address;    /* where the thread is stopped */
	unsigned runtime;    /* runtime of the event or region, as in struct event_place */
	bool has_event;
	enum event_kind event;
};

/* A request that the next regions have one thread: worker/control/serialize.h. */
struct serialize {
	uint64_t address; /* of the word; 0: no request */
	int64_t client;
	pid_t tid; /* the thread whose regions count; 0: any thread */
};

struct worker {
	const char *target_id;		      /* "t1" */
	struct plugin_options plugin_options; /* from the command line */
	/* Appends the notification of an event, as JSON: methods/event.h. */
	struct error *(*write_event)(const struct worker *w, const struct worker_event *e, struct buf *out);
	const char *debug_dirs[WORKER_MAX_DEBUG_DIRS]; /* --debug-dir, borrowed */
	size_t n_debug_dirs;
	uint64_t core_space;	/* as in struct target_core_options */
	unsigned request_cpu_s; /* processor time per request for long computations on a target's files; 0: no limit */
	int in;			/* descriptor of the requests */
	int dump_fd;		/* file for target.dump, --dump-fd; 0: none */
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
	struct history *history;	 /* the states of the last ten minutes */
	int64_t exit_status;		 /* wait status of a traced process; -1: not known */
	bool launch_unanswered; /* the target was launched, and its client has not been notified: see target_keep() */
	bool detached;		/* target.detach was answered: leave the loop */
	struct buf events;	/* unsent, one per line (worker/context/emit.h) */
	struct buf told;	/* lines for the daemon itself, sent before the next answer (worker/context/emit.h) */
	uint32_t events_lost;	/* dropped events; reported before the next event */
	bool exec_reported;	/* the event "exec" was emitted */
	bool seen_running;	/* the target had not exited when the current request arrived */
	bool target_given;	/* the current request has used the target: see worker_need_target() */
};

enum view_consistency { VIEW_STOPPED, VIEW_PROVEN, VIEW_RACY, VIEW_CORE };

/* How a result was obtained: `epoch`, `consistency`, `stopped_us` of every state result. */
struct view {
	uint64_t epoch;
	enum view_consistency consistency;
	int64_t stopped_us; /* 0: the target was not stopped for it */
};

/* Return the main runtime (runtimes_main()), selected. Valid while a target is attached. */
struct model *worker_model(const struct worker *w);
/* Return runtime number @number, from 1, as in struct event_place; 0: worker_model(). Does not select it. */
struct model *worker_model_of(const struct worker *w, unsigned number);

/* Start the request of connection @client, which lasts until the next one. */
void worker_begin_request(struct worker *w, int64_t client);

/* Return ERR_TARGET_HELD when another connection than w->client holds the target stopped. */
MUST_USE struct error *worker_check_holder(const struct worker *w);

#endif
