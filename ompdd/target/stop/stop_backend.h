/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A way to stop and resume a process, for stopper.c. There are two implementations. target/stop/live is a thread of
 * this process, stops for the time of a copy, and leaves no traces. target/stop/tracer is another process, for holds
 * and for processes with breakpoints. Both use target/traced.
 */
#ifndef OMPDD_TARGET_STOP_BACKEND_H
#define OMPDD_TARGET_STOP_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "target/stop/stopped_threads.h"

struct stop_backend;
struct stop_request;

struct stop_backend_ops {
	/*
	 * ERR_STOP_TIMEOUT, ERR_ALREADY_TRACED, ERR_PERMISSION_DENIED, ERR_TARGET_EXITED, ERR_TARGET_EXEC: nothing is
	 * stopped then.
	 */
	struct error *(*stop)(struct stop_backend *s, const struct stop_request *request);
	/* *@stopped_us_ret: the duration. ERR_NOT_STOPPED; ERR_STOP_TIMEOUT: the budget's end resumed it earlier. */
	struct error *(*resume)(struct stop_backend *s, int64_t *stopped_us_ret);
	bool (*is_stopped)(const struct stop_backend *s);
	/* Return whether the process stays stopped until resume(). */
	bool (*is_held)(const struct stop_backend *s);
	/* Return whether the present stop was ended by its budget. */
	bool (*is_expired)(const struct stop_backend *s);
	/* Return the duration of the present stop so far. */
	int64_t (*stopped_us)(const struct stop_backend *s);
	/* Call @fn for the stopped threads, in no particular order, with their current registers if requested. */
	void (*for_each)(struct stop_backend *s, bool with_registers, stopped_thread_fn fn, void *arg);
};

/* The first member of each implementation. */
struct stop_backend {
	const struct stop_backend_ops *ops;
};

/* ERR_STOP_TIMEOUT: the thread @tid had not stopped when the limit of @limit_ms was over. */
struct error *stop_backend_timeout(pid_t tid, unsigned limit_ms);

#endif
