/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which thread of the target a library's thread handle stands for. In a container the target's memory, and so the
 * library, knows threads by other kernel ids than we do: none of theirs is compared with one of ours.
 */
#ifndef OMPDD_OPENMP_HANDLE_THREAD_H
#define OMPDD_OPENMP_HANDLE_THREAD_H

#include <stdint.h>
#include <sys/types.h>

struct model;
struct target_thread;

/*
 * The thread of the view behind @object (an ompd_thread_handle_t of @m's library), by the C library's name for it or
 * else by the kernel's; NULL: it is none of them, or not known. *@absent_ret, if that is wanted: the kernel id that the
 * library has for one of which it is known that the process has no such thread (any more); else 0.
 */
const struct target_thread *handle_thread(struct model *m, void *object, pid_t *absent_ret);

#endif
