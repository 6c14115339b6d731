/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* NUMA: the machine's nodes with their CPUs, and the nodes that hold a sample of a process's memory. */
#ifndef OMPDD_TARGET_NUMA_H
#define OMPDD_TARGET_NUMA_H

#include "target/process/progress.h"

#define NUMA_FOLDER	 "/sys/devices/system/node"
#define NUMA_MAX_NODES	 64
#define NUMA_MAX_SAMPLES 4096

struct numa_node {
	unsigned number;
	struct target_cpus cpus; /* none: the node has only memory */
	uint64_t n_pages;	 /* pages of the sample */
};

/* All zeroes: nothing is known. */
struct numa {
	struct numa_node nodes[NUMA_MAX_NODES];
	size_t n_nodes;
	uint64_t n_pages; /* of the sample that are in memory */
};

/* Read the machine's nodes from @folder. Return false if it has no node, or more than NUMA_MAX_NODES. */
bool numa_read_nodes(const char *folder, struct numa *ret);

/*
 * Count the pages of a sample on the nodes of @n: NUMA_MAX_SAMPLES pages at equal distances in each writable mapping of
 * @t. It is not part of a view: the target runs, and the kernel moves no page. Return false if @t is no process, or the
 * kernel refuses.
 */
bool numa_count_pages(struct target *t, struct numa *n);

#endif
