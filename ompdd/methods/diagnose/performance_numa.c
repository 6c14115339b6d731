/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The finding that the memory is on one NUMA node, and threads are bound to another one. */
#include "methods/diagnose/performance.h"

/* Least share of the sampled pages on one node, in percent. With less, the memory is distributed. */
#define LEAST_NODE_PERCENT 80
/* Least number of sampled pages in memory: fewer may be chance. */
#define LEAST_PAGES 256

/* Return the node that has all CPUs of @cpus; NULL if they are on several. */
static const struct numa_node *find_node(const struct numa *n, const struct target_cpus *cpus)
{
	for (size_t i = 0; i < n->n_nodes; i++) {
		if (target_cpus_are_in(cpus, &n->nodes[i].cpus))
			return &n->nodes[i];
	}
	return NULL;
}

/* Return the node with most of the memory; NULL if it is distributed, or the sample is too small. */
static const struct numa_node *find_home(const struct numa *n)
{
	for (size_t i = 0; i < n->n_nodes && n->n_pages >= LEAST_PAGES; i++) {
		if (performance_percent(n->nodes[i].n_pages, n->n_pages) >= LEAST_NODE_PERCENT)
			return &n->nodes[i];
	}
	return NULL;
}

void performance_find_numa(struct performance *p)
{
	const struct numa_node *home = find_home(&p->numa);
	uint64_t cpu_us = 0;
	size_t n = 0;

	/* The kernel may move a thread without such a binding to its memory. */
	for (size_t i = 0; i < p->n_threads && home; i++) {
		const struct performance_thread *t = &p->threads[i];
		const struct numa_node *node = t->cpus ? find_node(&p->numa, t->cpus) : NULL;

		if (!node || node == home || !performance_is_busy(p, t))
			continue;
		cpu_us += t->cpu_us;
		n++;
	}
	struct performance_finding *f = n ? performance_add(p, "numa", cpu_us) : NULL;
	if (!f)
		return;
	/* How much slower the other node's memory is, and how often a thread uses it, is not known. */
	f->is_candidate = true;
	sentence_add(&f->title, "memory: %u %% of it is on NUMA node %u, and %zu busy thread%s may run only on others",
		     performance_percent(home->n_pages, p->numa.n_pages), home->number, n, n == 1 ? "" : "s");
	sentence_add(performance_claim(f, "kernel"), "%llu of %llu sampled pages are on node %u",
		     (unsigned long long)home->n_pages, (unsigned long long)p->numa.n_pages, home->number);
	sentence_add(performance_claim(f, "kernel"), "the affinity of the threads has no CPU of that node");
	sentence_add(&f->advice, "let each thread initialise the data that it will use: the kernel places a page on ");
	sentence_add(&f->advice, "the node of the thread that writes it first; or numactl --interleave=all PROGRAM");
}
