/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What concerns a whole job: views with --job or --nodes, node-summary, merge. ompdctl-cluster does it. */
#ifndef OMPDD_CLI_CLUSTER_H
#define OMPDD_CLI_CLUSTER_H

#include "failure.h"

/* Whether this command line is one for ompdctl-cluster: not for help, which is here. */
int cluster_is_asked(int argc, char *const *argv);

/* Become ompdctl-cluster, with the same command line; returns only if that fails. */
struct failure *cluster_run(char **argv);

#endif
