/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Modules (executable and shared objects), symbols and thread-local storage of a target. */
#ifndef OMPDD_TARGET_MODULES_H
#define OMPDD_TARGET_MODULES_H

#include "target/target.h"

struct target_module {
	char *path;	   /* the name in the target's link map or maps */
	uint64_t base;	   /* load bias: add to the ELF file's virtual addresses */
	uint64_t start;	   /* lowest mapped address */
	uint64_t end;	   /* after the highest mapped address */
	char build_id[41]; /* lower-case hex; "" without one */
	char *compiler;	   /* first string of .comment ("GCC: (Debian 12.2.0-14) 12.2.0"), or NULL */
};

struct target_symbol {
	uint64_t address; /* in the target; for TLS symbols the offset in the module's TLS block */
	uint64_t size;
	bool is_tls;
	const struct target_module *module;
};

/*
 * Return the modules (executable and shared objects), refreshed if the link map changed; borrowed until the next view.
 */
MUST_USE struct error *target_modules(struct target *t, const struct target_module **ret, size_t *n_ret);
/* Return the module that maps @addr, or NULL. */
const struct target_module *target_module_at(struct target *t, uint64_t addr);

/*
 * Find a symbol by exact name: in .symtab, then the separate debug file (build-id, debuglink), then .dynsym. Searches
 * all modules in link order; with @file_name not NULL only those whose file name (without directory) starts with it.
 * Tables are hashed per module; misses are cached until the list of modules changes. ERR_SYMBOL_NOT_FOUND.
 */
MUST_USE struct error *target_symbol(struct target *t, const char *name, const char *file_name,
				     struct target_symbol *ret);
/*
 * The same, in all modules, for a name that only an OpenMP runtime has. A library that does not import pthread_create()
 * starts no threads and is not a runtime: only its exported symbols are searched. The C library's debug file is not
 * read.
 */
MUST_USE struct error *target_runtime_symbol(struct target *t, const char *name, struct target_symbol *ret);
/*
 * Return whether @module, one of target_modules(), can start threads: it is linked statically, or imports
 * pthread_create().
 */
bool target_can_start_threads(struct target *t, const struct target_module *module);
/*
 * Return whether @module, one of target_modules(), may call the function @name of another module. Return true if that
 * is not known: for a module without symbols.
 */
bool target_may_import(struct target *t, const struct target_module *module, const char *name);
/* Search symbols in the module at @address before all others from now on, whatever its file's name; 0: in no module. */
void target_prefer_module(struct target *t, uint64_t address);
/*
 * Find the function or object that covers @addr: store its name in @name (cut to @size) and the offset in it. Return
 * false without one.
 */
bool target_symbol_at(struct target *t, uint64_t addr, char *name, size_t size, uint64_t *offset_ret);
/*
 * The same for the variable that covers @addr, by a symbol with a size. Return false for heap, stack, or without
 * symbols.
 */
bool target_object_at(struct target *t, uint64_t addr, char *name, size_t size, uint64_t *offset_ret);

/*
 * Store the address of TLS symbol @sym in @thread, through libthread_db. ERR_SYMBOL_NOT_FOUND if that thread has not
 * allocated the module's TLS block.
 */
MUST_USE struct error *target_tls_address(struct target *t, const struct target_thread *thread,
					  const struct target_symbol *sym, uint64_t *ret);

#endif
