/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds thread descriptors and thread-local storage through glibc's libthread_db, which reads memory only: needs no
 * registers and no stop.
 */
#ifndef OMPDD_TARGET_TLS_H
#define OMPDD_TARGET_TLS_H

#include "target/modules/modules.h"
#include "target/target.h"

struct tls_reader;

MUST_USE struct error *tls_reader_create(struct tls_reader **ret);
void tls_reader_destroy(struct tls_reader *tls);

/* Fill `pthread` of the threads of @t; unknown ones stay 0. */
void tls_reader_fill_pthreads(struct tls_reader *tls, struct target *t);

/* See target_tls_address(). @link_map: of the symbol's module. */
MUST_USE struct error *tls_address(struct tls_reader *tls, struct target *t, const struct target_thread *thread,
				   const struct target_symbol *sym, uint64_t link_map, uint64_t *ret);

#endif
