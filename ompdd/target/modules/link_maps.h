/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the dynamic linker's list of the modules that it has loaded into a target. */
#ifndef OMPDD_TARGET_LINK_MAPS_H
#define OMPDD_TARGET_LINK_MAPS_H

#include "target/proc/auxv.h"
#include "target/target.h"

/* The dynamic linker's entry of one module. */
struct link_maps_entry {
	uint64_t address; /* of the struct link_map */
	uint64_t bias;
	uint64_t name; /* address of the string */
	uint64_t dynamic;
};

/*
 * List all entries of all namespaces in link order, @max at most. Returns 0 without a list. *@r_debug is the address of
 * the list, 0 while unknown. *@whole_ret is false when a part could not be read and the list continues after it.
 */
size_t link_maps_list(struct target *t, const struct process_auxv *auxv, uint64_t *r_debug,
		      struct link_maps_entry *entries, size_t max, bool *whole_ret);

#endif
