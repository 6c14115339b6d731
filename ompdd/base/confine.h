/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The means of this kernel and this build to confine a process: for daemon.info and the worker's sandbox. */
#ifndef OMPDD_BASE_CONFINE_H
#define OMPDD_BASE_CONFINE_H

#include <stdbool.h>

/* Whether seccomp filters can be set, with refusals that a handler counts (Linux 4.14). */
bool confine_has_seccomp(void);
/* The version of landlock's interface; 0: there is none, or it is not enabled. */
int confine_landlock_abi(void);
/* A build with a sanitizer, which needs calls that the sandbox refuses: the search for leaks traces its own process. */
bool confine_is_sanitized(void);

#endif
