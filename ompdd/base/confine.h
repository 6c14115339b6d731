/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The means of this kernel and this build to confine a process, for daemon.info and the worker's sandbox. */
#ifndef OMPDD_BASE_CONFINE_H
#define OMPDD_BASE_CONFINE_H

#include <stdbool.h>

/* Return true if seccomp filters are available, with refusals that a handler can count (Linux 4.14). */
bool confine_has_seccomp(void);
/* Return the version of landlock's interface; 0: landlock is missing or disabled. */
int confine_landlock_abi(void);
/*
 * Return true in a build with a sanitizer. Such a build needs calls that the sandbox refuses: the leak check traces its
 * own process.
 */
bool confine_is_sanitized(void);

#endif
