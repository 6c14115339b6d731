/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Call every query of libompd about some threads of the test's own process, and ignore the answers. For tests of
 * targets that lie: libompd may not crash, hang or leak.
 */
#ifndef OMPDD_SUPPORT_ASK_LIBOMPD_H
#define OMPDD_SUPPORT_ASK_LIBOMPD_H

#include <pthread.h>

#include "omp-tools.h"

/* Ask everything about one thread of @as; @max_chain as below. */
void ask_libompd_thread(ompd_address_space_handle_t *as, pthread_t pthread, int max_chain);

/* Ask everything about the process @as, which stays open, and @threads of it. */
void ask_libompd_process(ompd_address_space_handle_t *as, const pthread_t *threads, int n_threads, int max_chain);

/*
 * Open the process, ask everything about it and @threads, and close it. Chains of regions and tasks are followed for at
 * most @max_chain steps.
 */
void ask_libompd(const pthread_t *threads, int n_threads, int max_chain);

#endif
