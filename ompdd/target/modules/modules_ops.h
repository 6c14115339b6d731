/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The operations of modules.h: module_list.c has them for processes and cores, a test's fake target has its own.
 * Included by target/ and by tests/support only.
 */
#ifndef OMPDD_TARGET_MODULES_OPS_H
#define OMPDD_TARGET_MODULES_OPS_H

#include <libelf.h>

#include "target/modules/modules.h"

struct modules;
struct symbols;

/* Each gets the target that owns @m. */
struct modules_ops {
	/* See target_modules(). */
	struct error *(*list)(struct modules *m, struct target *t, const struct target_module **ret, size_t *n_ret);
	/*
	 * Open the file of @module, or its separate debug file; the caller ends it with elf_end(), then closes
	 * *@fd_ret. Returns NULL without a matching file. May be NULL.
	 */
	Elf *(*open)(struct modules *m, const struct target_module *module, bool debug, int *fd_ret);
	/* See target_symbol() and, with @is_of_runtime, target_runtime_symbol(). */
	struct error *(*symbol)(struct modules *m, struct target *t, const char *name, const char *file_name,
				bool is_of_runtime, struct target_symbol *ret);
	/* See target_symbol_at(). */
	bool (*symbol_at)(struct modules *m, struct target *t, uint64_t addr, char *name, size_t size,
			  uint64_t *offset_ret);
	/* Return the symbols of @module, one of list(), or NULL; borrowed until the list changes. May be NULL. */
	struct symbols *(*symbols)(struct modules *m, struct target *t, const struct target_module *module);
	/* See target_tls_address(). */
	struct error *(*tls_address)(struct modules *m, struct target *t, const struct target_thread *thread,
				     const struct target_symbol *sym, uint64_t *ret);
};

/* The first member of each implementation. */
struct modules {
	const struct modules_ops *ops;
};

/* Return the symbols of @module, one of target_modules(), or NULL; borrowed until the next view. */
struct symbols *modules_symbols(struct target *t, const struct target_module *module);

#endif
