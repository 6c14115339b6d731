/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The modules of the target, in the order of its dynamic linker, and the addresses of their symbols. */
#ifndef OMPD_KIT_MODULES_H
#define OMPD_KIT_MODULES_H

#include "symbols.h"
#include "target.h"

/* Read the modules of @target. Ends the kit with a message if the target has no dynamic linker. */
void modules_read(const struct target *target);

/*
 * Find @name in the module @file (its path, or the last part of its path), or in all modules if
 * @file is NULL. Returns false if there is no such symbol. *@is_tls: the symbol is thread-local,
 * and *@ret is its address in the thread @thread, which may be NULL for other symbols.
 */
bool modules_find(const struct target *target, const char *name, const char *file, const struct target_thread *thread,
		  uint64_t *ret, bool *is_tls);

/* Return the distance from a thread's descriptor, which is its pthread_t, to its thread pointer. */
uint64_t modules_behind(void);

#endif
