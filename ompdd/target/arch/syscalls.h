/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Names and numbers of system calls, by the numbers of this machine's kernel. Newer processors lack the oldest calls:
 * these get numbers here that no kernel uses.
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

struct arch; /* target/arch/arch.h */

/*
 * Return the name, such as "read"; NULL for a call in which threads do not usually sleep, and for an unknown number. A
 * literal.
 */
const char *syscall_name(long number);

/*
 * Convert @number of a target on processor @of to this machine's number; SYSCALL_UNKNOWN: syscall_name() does not know
 * it.
 */
long syscall_here(const struct arch *of, long number);

#endif
