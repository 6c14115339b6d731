/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Lists the executable and the shared objects of a process from the dynamic linker's list, or from /proc/PID/maps
 * without one. Loads their symbols on first use.
 */
#ifndef OMPDD_TARGET_MODULE_LIST_H
#define OMPDD_TARGET_MODULE_LIST_H

#include <libelf.h>

#include "target/proc/auxv.h"
#include "target/elf/elf_file.h"
#include "target/proc/maps.h"
#include "target/modules/modules_ops.h"

/* Modules of one process; more are ignored. */
#define MODULES_MAX 4096

/* The source of the list: the files of /proc/PID, or the notes of a core and the files that they name. */
struct module_source {
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
MUST_USE struct error *module_list_create(struct target *t, const struct module_source *source,
					  const struct process_auxv *auxv, struct modules **ret);
/* NULL is fine. */
void module_list_destroy(struct modules *m);

/* Fill `pthread` of the threads of @t, whose modules are a list; unknown ones stay 0. */
void module_list_fill_pthreads(struct target *t);

#endif
