/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds thread descriptors and static thread-local storage of a glibc for which this system has no libthread_db, such
 * as a container's. Used when libthread_db refuses the version or reports incomplete data.
 */
#ifndef OMPDD_TARGET_NPTL_H
#define OMPDD_TARGET_NPTL_H

#include "target/modules/modules.h"
#include "target/target.h"
#include "target/modules/tid_map.h"

/* Fill `pthread` of the threads of @t from glibc's own lists; return false if glibc does not describe them. */
bool nptl_fill_pthreads(struct target *t, const struct tid_map *map);

/* Return whether the program was started by a C library other than glibc: then no thread of @t has a `pthread`. */
bool nptl_is_absent(struct target *t);

/*
 * Return the pthread_t of thread @tid with thread pointer @pointer; 0: there is no descriptor at the expected address.
 */
uint64_t nptl_pthread_of(struct target *t, pid_t tid, uint64_t pointer);

/*
 * Store the kernel's thread id from the descriptor @pd; 0: it has no kernel thread yet, or not any more. Return false
 * if it cannot be read.
 */
bool nptl_thread_id(struct target *t, uint64_t pd, pid_t *ret);

/*
 * Store the address of @sym in @thread, whose pthread is known. Return false for a module whose TLS is allocated on
 * first use. @link_map: of the symbol's module.
 */
bool nptl_tls_address(struct target *t, const struct target_thread *thread, const struct target_symbol *sym,
		      uint64_t link_map, uint64_t *ret);

#endif
