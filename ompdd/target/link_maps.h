/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The dynamic linker's list of what it has loaded into a target. */
#ifndef OMPDD_TARGET_LINK_MAPS_H
#define OMPDD_TARGET_LINK_MAPS_H

#include "target/auxv.h"
#include "target/target.h"

/* What the dynamic linker says of one module. */
struct link_maps_entry {
	uint64_t address; /* of the struct link_map */
	uint64_t bias;
	uint64_t name; /* address of the string */
	uint64_t dynamic;
};

/*
 * List all entries of all namespaces in link order, @max at most. Returns 0 when there is no list yet, or none at all.
 * *@r_debug is the address of the list, 0 as long as it is not known. *@whole_ret is false when a part could not be
 * read: the list continues behind it.
 */
size_t link_maps_list(struct target *t, const struct process_auxv *auxv, uint64_t *r_debug,
		      struct link_maps_entry *entries, size_t max, bool *whole_ret);

#endif
