/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Stops and resumes a process. There are two implementations. target/live is a thread of this process, stops for the
 * time of a copy, and leaves no traces. target/tracer is another process, for holds and for processes with breakpoints.
 * Both use target/traced.
 */
#ifndef OMPDD_TARGET_STOPPER_H
#define OMPDD_TARGET_STOPPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "target/standing.h"

struct stopper;

/* The parameters of a stop. */
struct stopper_wish {
	const pid_t *tids; /* known threads; only for a stopper with takes_list */
	size_t n;
	bool only_these;     /* leave other threads running */
	bool with_registers; /* for_each() will be called with registers */
	unsigned budget_ms;  /* the longest duration; 0: until resume() */
	unsigned limit_ms;   /* the longest time until all threads are stopped */
};

struct stopper_ops {
	bool takes_list; /* it keeps no list of threads between stops */
	/*
	 * ERR_STOP_TIMEOUT, ERR_ALREADY_TRACED, ERR_PERMISSION_DENIED, ERR_TARGET_EXITED, ERR_TARGET_EXEC: nothing is
	 * stopped then.
	 */
	struct error *(*stop)(struct stopper *s, const struct stopper_wish *wish);
	/* *@stopped_us_ret: the duration. ERR_NOT_STOPPED; ERR_STOP_TIMEOUT: the budget's end resumed it earlier. */
	struct error *(*resume)(struct stopper *s, int64_t *stopped_us_ret);
	bool (*is_stopped)(const struct stopper *s);
	/* Return whether the process stays stopped until resume(). */
	bool (*is_held)(const struct stopper *s);
	/* Return whether the present stop was ended by its budget. */
	bool (*is_expired)(const struct stopper *s);
	/* Return the duration of the present stop so far. */
	int64_t (*stopped_us)(const struct stopper *s);
	/* Call @fn for the stopped threads, in no particular order, with their current registers if requested. */
	void (*for_each)(struct stopper *s, bool with_registers, standing_fn fn, void *arg);
};

/* The first member of each implementation. */
struct stopper {
	const struct stopper_ops *ops;
};

/* ERR_STOP_TIMEOUT: the thread @tid had not stopped when the limit of @limit_ms was over. */
struct error *stopper_timeout(pid_t tid, unsigned limit_ms);

#endif
