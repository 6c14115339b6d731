/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the names of mapped objects on stacks and on the heap. An object on a stack is a local variable of the frame
 * there. An object elsewhere gets the name of a pointer with its address, as a candidate.
 */
#ifndef OMPDD_OPENMP_MAP_NAMES_H
#define OMPDD_OPENMP_MAP_NAMES_H

#include "base/error.h"
#include "target/unwind/stack_copy.h"

struct devices;
struct target;

/* Limit for the global pointers that are compared. */
#define MAP_NAMES_MAX_POINTERS 16384
/* Limit for the frames that are searched, of all stacks together. */
#define MAP_NAMES_MAX_FRAMES 4096

struct map_names_pointer {
	char *name, *file;
	int line;
	uint64_t address, value; /* value 0: it could not be read */
};

/* All zeroes is a valid empty value. */
struct map_names {
	struct stack_copies copies;
	bool has_copies;
	struct map_names_pointer *pointers;
	size_t n_pointers, cap_pointers;
	bool has_pointers; /* map_names_list() was called */
};

/*
 * Copies, within a view, all stacks and the values of the listed pointers, if an object of @d needs them. Errors: those
 * of stack_copies_take().
 */
MUST_USE struct error *map_names_take(struct target *t, const struct devices *d, struct map_names *n);

/*
 * Names the objects of @d, of the same view, which may have ended. Returns whether objects are left without a name that
 * another view may show: the registers of sleeping threads are then requested, and the global pointers are listed.
 * Out of memory: objects stay without names.
 */
bool map_names_fill(struct target *t, struct map_names *n, struct devices *d);

void map_names_deinit(struct map_names *n);

#endif
