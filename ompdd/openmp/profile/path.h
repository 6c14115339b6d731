/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From a thread's own stack to the place of its sample in the tree: what is around a region is on the stack of the
 * thread that encountered it.
 */
#ifndef OMPDD_OPENMP_PROFILE_PATH_H
#define OMPDD_OPENMP_PROFILE_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "openmp/model/snapshot.h"
#include "openmp/profile/tally.h"
#include "openmp/profile/trail.h"

#define PATH_MAX_FUNCTIONS 1024

/* A region of the present look. */
struct path_region {
	bool is_known; /* the two below */
	bool is_busy;  /* being found out */
	uint32_t node; /* of tally.tree, where it begins */
	uint64_t function;
	bool is_inferred; /* the function, from a stack */
};

struct paths {
	struct tally *tally;
	struct target *target;
	const struct snapshot *s;
	const struct trail **trails; /* of each thread of @s; NULL: not known */
	struct path_region *regions; /* as s->parallels */
	/* Places of functions, kept from look to look. */
	struct {
		uint64_t function;
		struct tally_place place;
	} functions[PATH_MAX_FUNCTIONS];
	uint32_t n_functions;
};

/* A look at @s begins; trails are to be put in. */
MUST_USE bool paths_begin(struct paths *p, struct tally *tally, struct target *target, const struct snapshot *s);
void paths_end(struct paths *p);
/* Forget what is known of functions: modules came or went. */
void paths_forget(struct paths *p);

/* The function that @address is the beginning of. */
struct tally_place paths_function(struct paths *p, uint64_t address);
/* What is known of region number @i: its function, where the runtime says it or a stack does. */
const struct path_region *paths_region(struct paths *p, uint32_t i);
/* Whether @trail can be the stack of thread number @i where it is now; it may be older. */
bool paths_fits(const struct paths *p, uint32_t i, const struct trail *trail);
/* The node of thread number @i on @trail. */
uint32_t paths_node(struct paths *p, uint32_t i, const struct trail *trail);
/* The nesting level of thread number @i; -1: not known. */
int64_t paths_level(const struct paths *p, uint32_t i);

#endif
