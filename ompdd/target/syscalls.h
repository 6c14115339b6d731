/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of system calls, for people. */
#ifndef OMPDD_TARGET_SYSCALLS_H
#define OMPDD_TARGET_SYSCALLS_H

/* "read"; NULL for a call in which threads do not use to sleep, and for what is none. A literal. */
const char *syscall_name(long number);

#endif
