/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The processes that --children follows: those of the command line, and what they start. */
#ifndef OMPDD_CLI_FAMILY_H
#define OMPDD_CLI_FAMILY_H

#include "args.h"
#include "processes.h"

struct family {
	struct processes roots;	  /* of the command line; they need not use OpenMP */
	struct processes members; /* the roots and their descendants that use an OpenMP runtime, as they were found */
};

/*
 * Find the members that are new since the last call: descendants of the roots and of the members by their parents in
 * /proc. @found: the new ones, which are also added to the members. Fails with ERR_USAGE when there are too many.
 */
struct error *family_update(struct family *f, const struct args *args, struct processes *found);

/*
 * Replace @processes, those of the command line, with the members of their family. Fails with ERR_ANSWER if none uses
 * OpenMP.
 */
struct error *family_choose(const struct args *args, struct processes *processes);

/* Return the failure that no member of the family uses OpenMP. */
struct error *family_refuse(const struct family *f);

/* Forget a member that has replaced its program (exec): the next update finds the new program. */
void family_forget(struct family *f, long pid);

/*
 * Report on standard error that the member @pid is left out because of @failure, which is destroyed, unless @is_quiet.
 * A member that has ended or has replaced its program is forgotten without a report.
 */
void family_leave_out(struct family *f, long pid, struct error *failure, int is_quiet);

#endif
