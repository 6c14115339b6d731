/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What this kernel, and this build, have to confine a process with: for daemon.info and for the worker's box. */
#ifndef OMPDD_BASE_CONFINE_H
#define OMPDD_BASE_CONFINE_H

#include <stdbool.h>

/* Whether seccomp filters can be set, with refusals that a handler counts (Linux 4.14). */
bool confine_has_seccomp(void);
/* The version of landlock's interface; 0: there is none, or it is not enabled. */
int confine_landlock_abi(void);
/* A build with a sanitizer, which itself needs what the box refuses: the search for leaks traces its own process. */
bool confine_is_sanitized(void);

#endif
