/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Commands for a whole job, which ompdctl-cluster runs: views with --job or --nodes, node-summary, merge. */
#ifndef OMPDD_CLI_CLUSTER_H
#define OMPDD_CLI_CLUSTER_H

#include "failure.h"

/* Return whether ompdctl-cluster handles this command line. ompdctl itself prints its help. */
int cluster_is_requested(int argc, char *const *argv);

/* Replace this process with ompdctl-cluster and the same command line. Returns only if that fails. */
struct error *cluster_run(char **argv);

#endif
