/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One profile of one target, from start to finish: the common part of record and top. */
#ifndef OMPDD_CLI_RECORDING_H
#define OMPDD_CLI_RECORDING_H

#include "conversation.h"

struct recording {
	struct conversation *s;
	char *target;	       /* its id; owned */
	char *program;	       /* name of the program; owned */
	int is_attached_by_us; /* to a running ompdd, which would keep the target */
	int has_begun;
};

/*
 * Connect or start a worker. Attach to the process that args->processes names (args->pid), or use args->target.
 * Start a profile, with timelines if @timeline. Call recording_end() also after a failure. Signals are caught from
 * now on (interrupt.h): they end the attach, later only interrupt_wait().
 */
struct error *recording_begin(struct recording *r, struct conversation *s, int timeline);

/* Get the recording so far. *@ret: the result of profile.get; the caller owns it. */
struct error *recording_get(struct recording *r, int stacks, int timeline, int64_t since_us, struct json_object **ret);

/* Return whether @result, of profile.get, says that the recording still runs. */
int recording_goes_on(struct json_object *result);

/* Record for the seconds of the command line, else @default_s, or until a signal comes; then stop the recording. */
struct error *recording_run(struct recording *r, double default_s);

/* Stop the recording; recording_get() still works. */
struct error *recording_stop(struct recording *r);

/* Detach the target, after @failure, which may be NULL. Returns @failure, or a new failure. Signals stay caught. */
struct error *recording_close(struct recording *r, struct error *failure);

/*
 * Detach the target, after @failure, which may be NULL. Returns @failure, or a new failure. Ends this process by a
 * signal that has come and was not forgotten.
 */
struct error *recording_end(struct recording *r, struct error *failure);

#endif
