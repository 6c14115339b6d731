/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by modules.c, which creates the list, and modules_symbols.c, which searches it. */
#ifndef OMPDD_TARGET_MODULES_INTERNAL_H
#define OMPDD_TARGET_MODULES_INTERNAL_H

#include "target/link_maps.h"
#include "target/modules.h"
#include "target/symbols.h"
#include "target/symbols_shared.h"

/* The private part of modules->list[i]. */
struct module {
	struct link_maps_entry link; /* all zero without a link map */
	uint64_t map_start;	     /* of the mapping that holds the dynamic section */
	uint64_t map_end;
	unsigned dev_major;
	unsigned dev_minor;
	uint64_t inode;
	char *map_path; /* as in maps */
	struct symbols *symbols[SYMBOLS_EXTENTS];
	bool symbols_tried[SYMBOLS_EXTENTS];
};

struct modules {
	struct target *target;
	const struct modules_source *source;
	const struct process_auxv *auxv;
	uint64_t r_debug; /* 0: not known yet */
	struct target_module *list;
	struct module *modules;
	size_t n;
	uint64_t view; /* the view in which the list was checked */
	bool has_root;
	uint64_t root_dev, root_inode;
};

/* Return the identity of the file of @mod, whose public part is @pub, for sharing with other processes. */
struct symbols_file modules_shared_file(const struct modules *m, const struct target_module *pub,
					const struct module *mod);

#endif
