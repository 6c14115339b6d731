/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Stops, resumes and controls one process: the only way to its tracers. A process is traced in one of two ways: by a
 * thread of this process for the time of a copy (live.h), or by an ompdd-tracer while it is held, has breakpoints or
 * was launched (tracer.h). Tests have a stopper of their own.
 */
#ifndef OMPDD_TARGET_STOPPER_H
#define OMPDD_TARGET_STOPPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "target/stop/event.h"
#include "target/trace/filter.h"
#include "target/stop/stopped_threads.h"

struct helper_thread;
struct stopper;

/* The parameters of a stop. */
struct stop_request {
	const pid_t *tids; /* known threads; only if takes_list() */
	size_t n;
	const pid_t *asleep; /* sorted by tid: leave these running, and count them as stopped */
	size_t n_asleep;
	bool with_registers; /* for_each() will be called with registers */
	unsigned budget_ms;  /* the longest duration; 0: until resume() */
	unsigned limit_ms;   /* the longest time until all threads are stopped */
};

struct stopper_ops {
	/* Return whether a stop of @budget_ms uses a list of threads: a tracer keeps its own between stops. */
	bool (*takes_list)(const struct stopper *s, unsigned budget_ms);
	/*
	 * ERR_STOP_TIMEOUT, ERR_ALREADY_TRACED, ERR_PERMISSION_DENIED, ERR_TARGET_EXITED, ERR_TARGET_EXEC,
	 * ERR_TRACER_FAILED: nothing is stopped then.
	 */
	struct error *(*stop)(struct stopper *s, const struct stop_request *request);
	/* *@stopped_us_ret: the duration. ERR_NOT_STOPPED; ERR_STOP_TIMEOUT: the budget's end resumed it earlier. */
	struct error *(*resume)(struct stopper *s, int64_t *stopped_us_ret);
	bool (*is_stopped)(const struct stopper *s);
	/* Return the duration of the present stop so far. */
	int64_t (*stopped_us)(const struct stopper *s);

	/* Return whether an ompdd-tracer traces the process; the operations below need it, unless they say otherwise.
	 */
	bool (*is_traced)(const struct stopper *s);
	/* Start an ompdd-tracer that stops the process until resume(). ERR_TRACER_FAILED: it runs. */
	struct error *(*start_tracer)(struct stopper *s);
	/* See control.h for the rest. event_fd, next_event, lift, passed and answer need no tracer. */
	int (*event_fd)(const struct stopper *s);
	bool (*next_event)(struct stopper *s, struct target_event *ret);
	struct error *(*plant)(struct stopper *s, uint64_t address);
	struct error *(*plant_byte)(struct stopper *s, uint64_t address, unsigned char byte);
	void (*lift)(struct stopper *s, uint64_t address);
	struct error *(*plant_if)(struct stopper *s, uint64_t address, const struct target_filter *filter);
	void (*lift_if)(struct stopper *s, uint64_t address, uint32_t group);
	struct error *(*set_word)(struct stopper *s, uint64_t address, uint64_t value);
	uint64_t (*passed)(struct stopper *s, uint32_t group);
	bool (*answer)(struct stopper *s, pid_t tid, bool counts);
	struct error *(*park)(struct stopper *s, pid_t tid, bool park);
	struct error *(*step)(struct stopper *s, pid_t tid);
};

/* The first member of each implementation. */
struct stopper {
	const struct stopper_ops *ops;
};

/* The stopper of a process */

/*
 * Start the thread that traces, for the first stopper. The sandbox refuses ptrace: call this before the process enters
 * it. Does nothing if the thread exists.
 */
MUST_USE struct error *stopper_prepare(void);
/* End that thread for good, if no stopper uses it; tracers make all later stops. Return whether it has ended. */
bool stopper_quit(void);

/* @limit_ms: the longest time until all threads are stopped, in stops of start_tracer(). */
MUST_USE struct error *stopper_create(unsigned limit_ms, struct stopper **ret);
/* Resume and detach all threads; remove all breakpoints. NULL is fine. */
void stopper_destroy(struct stopper *s);

/* The result of a launch: process @pid is stopped after its exec, or @error says why @stage failed. */
struct stopper_launch {
	pid_t pid;
	int error;	/* errno; 0: success */
	unsigned stage; /* enum tracer_stage */
};
/*
 * Start the program described by @block (a launch block, tracer_protocol.h; borrowed) through a tracer.
 * ERR_TRACER_FAILED, ERR_LAUNCH_FAILED: the tracer did not answer.
 */
MUST_USE struct error *stopper_launch(struct stopper *s, int block, struct stopper_launch *ret);
bool stopper_has_launched(const struct stopper *s);
/* @keep: a launched program keeps running when @s is destroyed or this process dies; else it is killed then. */
MUST_USE struct error *stopper_keep(struct stopper *s, bool keep);
MUST_USE struct error *stopper_kill(struct stopper *s);

/* Attach to process @pid. @taskfd: an open /proc/PID/task, borrowed. */
MUST_USE struct error *stopper_attach(struct stopper *s, pid_t pid, int taskfd);
/*
 * Check that tracing is possible, without a request to the process, whose memory could be read: the kernel has the same
 * rules for both. ERR_ALREADY_TRACED, ERR_PERMISSION_DENIED.
 */
MUST_USE struct error *stopper_check(struct stopper *s);
/* Move the tracer of @from, whose process has replaced its program, to @s; @from has none then. */
void stopper_take_tracer(struct stopper *s, struct stopper *from);
/* Stop using the tracing thread, between stops: a tracer makes all later stops. */
void stopper_drop_thread(struct stopper *s);
/*
 * Return the tracing thread, for other requests to the kernel between stops. A stop waits until such a request ends,
 * and may replace the thread. NULL without a thread.
 */
struct helper_thread *const *stopper_helper(const struct stopper *s);

/* For NULL these return false, or do nothing. */

/* Return whether the process stays stopped until resume(). */
bool stopper_is_held(const struct stopper *s);
/* Return whether the present stop was ended by its budget. */
bool stopper_is_expired(const struct stopper *s);
/* Replace our instructions in @len bytes read from @addr by the program's original text. */
void stopper_hide(const struct stopper *s, uint64_t addr, void *buf, size_t len);
/* Read the messages of the tracer, and reap threads that were killed while they were stopped (SIGKILL). */
void stopper_poll(struct stopper *s);

/* Call @fn for the stopped threads, in no particular order, with their current registers if requested. */
void stopper_for_each(struct stopper *s, bool with_registers, stopped_thread_fn fn, void *arg);

#endif
