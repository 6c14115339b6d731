/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What stops a process and lets it go on. There are two: target/live, a thread of this process, for as long as a copy
 * takes, which leaves nothing behind; and target/tracer, a process of its own, for holds and for what has breakpoints
 * in it. What both know of the kernel is in target/traced.
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

/* What a stop is to be. */
struct stopper_wish {
	const pid_t *tids; /* known threads; only for a stopper that takes lists */
	size_t n;
	bool only_these;     /* not those that are unknown */
	bool with_registers; /* for_each() has them at hand then */
	unsigned budget_ms;  /* it lasts no longer, whatever happens; 0: until resume() */
	unsigned limit_ms;   /* in which it must be reached */
};

struct stopper_ops {
	bool takes_list; /* it knows no threads between stops */
	/* ERR_STOP_TIMEOUT, ERR_ALREADY_TRACED, ERR_PERMISSION_DENIED, ERR_TARGET_EXITED, ERR_TARGET_EXEC: nothing is
	 * stopped then. */
	struct error *(*stop)(struct stopper *s, const struct stopper_wish *wish);
	/* *@stopped_us_ret: how long it lasted. ERR_NOT_STOPPED; ERR_STOP_TIMEOUT: the budget's end did it earlier. */
	struct error *(*resume)(struct stopper *s, int64_t *stopped_us_ret);
	bool (*is_stopped)(const struct stopper *s);
	/* Stopped until resume(), whenever that is. */
	bool (*is_held)(const struct stopper *s);
	/* Whether the end of its budget ended the present stop. */
	bool (*is_expired)(const struct stopper *s);
	/* How long the present stop lasts. */
	int64_t (*stopped_us)(const struct stopper *s);
	/* Calls @fn for the threads that stand, in no particular order, with their registers of now if they are asked
	 * for. */
	void (*for_each)(struct stopper *s, bool with_registers, standing_fn fn, void *arg);
};

/* First in what embeds it. */
struct stopper {
	const struct stopper_ops *ops;
};

/* ERR_STOP_TIMEOUT: the thread @tid had not stopped when the limit of @limit_ms was over. */
struct error *stopper_timeout(pid_t tid, unsigned limit_ms);

#endif
