/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Lists the executable and the shared objects of a process from the dynamic linker's list, or from /proc/PID/maps
 * without one. Loads their symbols on first use.
 */
#ifndef OMPDD_TARGET_MODULES_H
#define OMPDD_TARGET_MODULES_H

#include <libelf.h>

#include "target/auxv.h"
#include "target/elf_file.h"
#include "target/maps.h"
#include "target/target.h"

/* Modules of one process; more are ignored. */
#define MODULES_MAX 4096

struct modules;

/* The source of the list: the files of /proc/PID, or the notes of a core and the files that they name. */
struct modules_source {
	struct error *(*read_maps)(struct target *t, struct maps *ret);
	/* See elf_file_open(); only for mappings with an inode. */
	Elf *(*open)(struct target *t, const struct elf_file_identity *id, int *fd_ret);
	Elf *(*open_debug)(struct target *t, Elf *elf, const char *path, const char *build_id, int *fd_ret);
	/*
	 * Identifies the root folder of the files. NULL: there is no process, and nothing read from the files is
	 * shared.
	 */
	bool (*root)(struct target *t, uint64_t *dev_ret, uint64_t *inode_ret);
};

/* @t, @source and @auxv are borrowed. */
MUST_USE struct error *modules_create(struct target *t, const struct modules_source *source,
				      const struct process_auxv *auxv, struct modules **ret);
void modules_destroy(struct modules *m);

/* See target.h for these five. The list is checked once per view of @t. */
MUST_USE struct error *modules_list(struct modules *m, struct target *t, const struct target_module **ret,
				    size_t *n_ret);
MUST_USE struct error *modules_symbol(struct modules *m, struct target *t, const char *name, const char *file_name,
				      struct target_symbol *ret);
MUST_USE struct error *modules_runtime_symbol(struct modules *m, struct target *t, const char *name,
					      struct target_symbol *ret);
bool modules_symbol_at(struct modules *m, struct target *t, uint64_t addr, char *name, size_t size,
		       uint64_t *offset_ret);
/* See target_ops.symbols. */
struct symbols *modules_symbols(struct modules *m, struct target *t, const struct target_module *module);
/* See target_ops.open_module. */
Elf *modules_open(struct modules *m, const struct target_module *module, bool debug, int *fd_ret);
/* Return the address of the module's struct link_map; 0 if unknown. */
uint64_t modules_link_map(struct modules *m, const struct target_module *module);

#endif
