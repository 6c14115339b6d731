/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the place of a thread's sample in the tree from its stack. The frames around a region are on the stack of its
 * encountering thread.
 */
#ifndef OMPDD_OPENMP_PROFILE_PATH_H
#define OMPDD_OPENMP_PROFILE_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "openmp/model/snapshot.h"
#include "openmp/sampling/call_chain.h"
#include "openmp/sampling/tally.h"

#define PATH_MAX_FUNCTIONS 1024

/* A region of the present sampling. */
struct path_region {
	bool is_known; /* `node` and `function` are known */
	bool is_busy;  /* the search for it is in progress */
	uint32_t node; /* of tally.tree, where the region starts */
	uint64_t function;
	bool is_inferred; /* the function, from a stack */
};

struct paths {
	struct tally *tally;
	struct target *target;
	const struct snapshot *s;
	const struct call_chain **chains; /* of each thread of @s; NULL: not known */
	struct path_region *regions;	  /* parallel to s->parallels */
	/* Places of functions, kept from sampling to sampling. */
	struct {
		uint64_t function;
		struct tally_place place;
	} functions[PATH_MAX_FUNCTIONS];
	uint32_t n_functions;
};

/* Starts a sampling of @s. The caller then sets the chains. */
MUST_USE bool paths_begin(struct paths *p, struct tally *tally, struct target *target, const struct snapshot *s);
void paths_end(struct paths *p);
/* Drops the known places of functions: modules were loaded or unloaded. */
void paths_forget(struct paths *p);

/* Returns the function that starts at @address. */
struct tally_place paths_function(struct paths *p, uint64_t address);
/* Returns the data of region number @i: its function, if the runtime or a stack shows it. */
const struct path_region *paths_region(struct paths *p, uint32_t i);
/* Returns whether @chain can be the present stack of thread number @i; it may be older. */
bool paths_fits(const struct paths *p, uint32_t i, const struct call_chain *chain);
/* Returns the node of thread number @i on @chain. */
uint32_t paths_node(struct paths *p, uint32_t i, const struct call_chain *chain);
/* Returns the nesting level of thread number @i; -1: not known. */
int64_t paths_level(const struct paths *p, uint32_t i);

#endif
