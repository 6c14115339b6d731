/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Maps a library's thread handle to the thread of the target. In a container the target's memory, and so the library,
 * has other kernel ids than we have. The two kinds of ids are never compared.
 */
#ifndef OMPDD_OPENMP_HANDLE_THREAD_H
#define OMPDD_OPENMP_HANDLE_THREAD_H

#include <stdint.h>
#include <sys/types.h>

struct model;
struct target_thread;

/*
 * Returns the thread of the view behind @object (an ompd_thread_handle_t of @m's library). It compares the C library's
 * name for the thread, else the kernel's. NULL: not in the view, or not known. *@absent_ret (may be NULL) is the
 * library's kernel id of a thread that the process does not have (any more), else 0.
 */
const struct target_thread *handle_thread(struct model *m, void *object, pid_t *absent_ret);

#endif
