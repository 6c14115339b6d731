/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions shared by the files of drafts/ (ompd-drafts.h). */
#ifndef OMPDD_LIBOMPD_DRAFT_H
#define OMPDD_LIBOMPD_DRAFT_H

#include "ompd-drafts.h"

/* Implement ompd_get_thread_in_parallel() of 2016. */
ompd_rc_t draft_threads_of_region(ompd_parallel_handle_t *region, ompd_thread_handle_t ***vector, int *count);

#endif
