/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Filter of process.list. */
#ifndef OMPDD_METHODS_PROCESS_FILTER_H
#define OMPDD_METHODS_PROCESS_FILTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

#define PROCESS_FILTER_MAX_RANGES 256

struct job;		    /* target/proc/job.h */
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
	size_t n_ranks; /* 0: any rank, and processes without a rank */
};

/* Create a filter. ERR_INVALID_PARAMS: the user does not exist, or the set of ranks is invalid. */
MUST_USE struct error *process_filter_make(const struct process_list_params *p, struct process_filter *ret);

/* Return whether a process passes. The functions are listed in the order in which these facts are found out. */
bool process_filter_user(const struct process_filter *f, uid_t uid);
/* Check the text of /proc/PID/cgroup. */
bool process_filter_cgroup(const struct process_filter *f, const char *text);
/* Check the name that the process has given itself, or its program's name without folders. */
bool process_filter_name(const struct process_filter *f, const char *comm, const char *program);
bool process_filter_runtime(const struct process_filter *f, const struct present *runtimes);
bool process_filter_job(const struct process_filter *f, const struct job *job);

#endif
