/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Thread descriptors and static thread-local storage of a glibc for which this system has no libthread_db: a
 * container's. For when libthread_db refuses the version, or does not tell all.
 */
#ifndef OMPDD_TARGET_NPTL_H
#define OMPDD_TARGET_NPTL_H

#include "target/target.h"
#include "target/tid_map.h"

/* Fill `pthread` of the threads of @t by glibc's own lists; false when it does not describe them. */
bool nptl_fill_pthreads(struct target *t, const struct tid_map *map);

/* Whether a C library has begun the program that is not glibc: then no thread of @t has a `pthread`. */
bool nptl_is_absent(struct target *t);

/* The pthread_t of thread @tid, whose thread pointer is @pointer; 0: there is no descriptor where it should be. */
uint64_t nptl_pthread_of(struct target *t, pid_t tid, uint64_t pointer);

/* The kernel's id in the descriptor @pd: 0 when no kernel thread is behind it (yet, or any more). False: it cannot be
 * read. */
bool nptl_thread_id(struct target *t, uint64_t pd, pid_t *ret);

/*
 * The address of @sym in @thread, whose pthread is known; false for a module whose TLS is allocated on first use.
 * @link_map: of the symbol's module.
 */
bool nptl_tls_address(struct target *t, const struct target_thread *thread, const struct target_symbol *sym,
		      uint64_t link_map, uint64_t *ret);

#endif
