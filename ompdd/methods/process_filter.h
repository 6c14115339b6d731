/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which processes process.list is asked for. */
#ifndef OMPDD_METHODS_PROCESS_FILTER_H
#define OMPDD_METHODS_PROCESS_FILTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

#define PROCESS_FILTER_MAX_RANGES 256

struct job;		    /* target/job.h */
struct present;		    /* openmp/runtimes/present.h */
struct process_list_params; /* methods.h */

struct process_filter {
	bool by_user;
	uid_t uid;
	const char *name; /* these are borrowed from the parameters; NULL: any */
	const char *runtime;
	const char *job;
	const char *cgroup;
	struct {
		int64_t first, last;
	} ranks[PROCESS_FILTER_MAX_RANGES];
	size_t n_ranks; /* 0: any, and those without a rank */
};

/* ERR_INVALID_PARAMS: there is no such user, or that is no set of ranks. */
MUST_USE struct error *process_filter_make(const struct process_list_params *p, struct process_filter *ret);

/* Whether a process is wanted, in the order in which these things are found out. */
bool process_filter_user(const struct process_filter *f, uid_t uid);
/* By the text of /proc/PID/cgroup. */
bool process_filter_cgroup(const struct process_filter *f, const char *text);
/* By the name that it has given itself, or its program's without folders. */
bool process_filter_name(const struct process_filter *f, const char *comm, const char *program);
bool process_filter_runtime(const struct process_filter *f, const struct present *runtimes);
bool process_filter_job(const struct process_filter *f, const struct job *job);

#endif
