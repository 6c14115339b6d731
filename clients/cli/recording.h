/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One profile of one target, from its begin to its end: what record and top have in common. */
#ifndef OMPDD_CLI_RECORDING_H
#define OMPDD_CLI_RECORDING_H

#include "session.h"

struct recording {
	struct session *s;
	char *target;	       /* its id; owned */
	char *program;	       /* a name for people; owned */
	int is_attached_by_us; /* to a running ompdd, which would keep it */
	int has_begun;
};

/*
 * Connect, or start a worker; attach to what args->processes named (args->pid), or take args->target; begin a profile,
 * with timelines if @timeline says so. Whatever comes of it, recording_end() follows. Signals are caught from now on
 * (interrupt.h): they end the attach, then interrupt_wait() only.
 */
struct failure *recording_begin(struct recording *r, struct session *s, int timeline);

/* What was recorded until now. *@ret: the result of profile.get; the caller owns it. */
struct failure *recording_get(struct recording *r, int stacks, int timeline, int64_t since_us,
			      struct json_object **ret);

/* Whether @result, of profile.get, says that it still records. */
int recording_goes_on(struct json_object *result);

/* End the recording; recording_get() still works. */
struct failure *recording_stop(struct recording *r);

/*
 * Detach the target, after @failure, which may be NULL. Returns that, or a new one. Dies of a signal that has come and
 * was not forgotten.
 */
struct failure *recording_end(struct recording *r, struct failure *failure);

#endif
