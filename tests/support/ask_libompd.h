/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Everything that can be asked of libompd about some threads of the test's own process, with no look
 * at the answers: they are for tests of targets that lie, where it may only not crash, hang or leak.
 */
#ifndef OMPDD_SUPPORT_ASK_LIBOMPD_H
#define OMPDD_SUPPORT_ASK_LIBOMPD_H

#include <pthread.h>

#include "omp-tools.h"

/* Everything about one thread of @as; @max_chain as below. */
void ask_libompd_thread(ompd_address_space_handle_t *as, pthread_t pthread, int max_chain);

/* Everything about the process @as, which remains, and @threads of it. */
void ask_libompd_process(ompd_address_space_handle_t *as, const pthread_t *threads, int n_threads, int max_chain);

/*
 * The same of a process that is begun to be looked at, and no more in the end. No chain of regions or tasks is followed
 * for more than @max_chain steps.
 */
void ask_libompd(const pthread_t *threads, int n_threads, int max_chain);

#endif
