/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by modules.c, which creates the list, and modules_symbols.c, which searches it. */
#ifndef OMPDD_TARGET_MODULE_LIST_INTERNAL_H
#define OMPDD_TARGET_MODULE_LIST_INTERNAL_H

#include "target/modules/link_maps.h"
#include "target/modules/module_list.h"
#include "target/elf/symbols.h"
#include "target/elf/symbols_shared.h"

struct tls_reader;

/* The private part of list[i]. */
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

struct module_list {
	struct modules base;
	struct target *target;
	const struct module_source *source;
	const struct process_auxv *auxv;
	uint64_t r_debug; /* 0: not known yet */
	struct target_module *list;
	struct module *modules;
	size_t n;
	uint64_t view; /* the view in which the list was checked */
	struct tls_reader *tls;
	bool has_root;
	uint64_t root_dev, root_inode;
};

/* Return the identity of the file of @mod, whose public part is @pub, for sharing with other processes. */
struct symbols_file module_list_shared_file(const struct module_list *m, const struct target_module *pub,
					    const struct module *mod);

static inline struct module_list *module_list_of(struct modules *m)
{
	return (struct module_list *)m;
}

/* Store the list, refreshed once per view of @t. */
MUST_USE struct error *module_list_get(struct module_list *m, struct target *t, const struct target_module **ret,
				       size_t *n_ret);
Elf *module_list_open(struct modules *m, const struct target_module *module, bool debug, int *fd_ret);

/* Symbols in the modules (module_symbols.c): see struct modules_ops. */
struct error *module_symbols_find(struct modules *m, struct target *t, const char *name, const char *file_name,
				  bool is_of_runtime, struct target_symbol *ret);
bool module_symbols_at(struct modules *m, struct target *t, uint64_t addr, char *name, size_t size,
		       uint64_t *offset_ret);
struct symbols *module_symbols_of(struct modules *m, struct target *t, const struct target_module *module);

#endif
