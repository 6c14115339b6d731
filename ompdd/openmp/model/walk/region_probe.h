/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One question to a process that is not a target: is it in a parallel region? */
#ifndef OMPDD_OPENMP_REGION_PROBE_H
#define OMPDD_OPENMP_REGION_PROBE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct plugin_options; /* openmp/plugin/plugin.h */

struct region_probe {
	bool in_region;
	const char *kind; /* descriptor name of the runtime that was asked */
};

/*
 * Reads process @pid without a stop. It uses only our own OMPD library, so it loads nothing that the process names. Do
 * not call it while a worker has a target. Errors are those of target_attach(), model_need_plugin() and
 * walk_snapshot(). A runtime that has not been used yet is in no region: no error.
 */
MUST_USE struct error *region_probe_process(pid_t pid, const struct plugin_options *options, struct region_probe *ret);

#endif
