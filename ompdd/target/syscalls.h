/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * System calls of targets, by the numbers that this machine's kernel has for them. Newer processors do without the
 * oldest calls; these have numbers here that no kernel has.
 */
#ifndef OMPDD_TARGET_SYSCALLS_H
#define OMPDD_TARGET_SYSCALLS_H

#include <sys/syscall.h>

#define SYSCALL_UNKNOWN (-1000)
#ifndef SYS_poll
#define SYS_open       (-1001)
#define SYS_poll       (-1002)
#define SYS_select     (-1003)
#define SYS_pause      (-1004)
#define SYS_fork       (-1005)
#define SYS_vfork      (-1006)
#define SYS_epoll_wait (-1007)
#define SYS_getdents   (-1008)
#endif

struct arch; /* target/arch.h */

/* "read"; NULL for a call in which threads do not use to sleep, and for what is none. A literal. */
const char *syscall_name(long number);

/* What a target on processor @of calls @number; SYSCALL_UNKNOWN: it is none of those that syscall_name() knows. */
long syscall_here(const struct arch *of, long number);

#endif
