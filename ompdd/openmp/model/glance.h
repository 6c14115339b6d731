/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One question to a process that is no target: whether it is in a parallel region. */
#ifndef OMPDD_OPENMP_GLANCE_H
#define OMPDD_OPENMP_GLANCE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct plugin_options; /* openmp/plugin/plugin.h */

struct glance {
	bool in_region;
	const char *kind; /* the name of the profile of the runtime that was asked */
};

/*
 * Look at process @pid without a stop, and with our own OMPD library only, so that nothing that the process names is
 * loaded. Not while a worker has a target. Errors as of target_attach(), model_need_plugin() and walk_snapshot(),
 * except that a runtime which nobody has used is in no region.
 */
MUST_USE struct error *glance_at(pid_t pid, const struct plugin_options *options, struct glance *ret);

#endif
