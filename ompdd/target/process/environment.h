/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The settings of a process that the kernel keeps. target_environment() returns its first environment
 * (target/target.h).
 */
#ifndef OMPDD_TARGET_ENVIRONMENT_H
#define OMPDD_TARGET_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "target/target.h"

#define TARGET_UNLIMITED UINT64_MAX

/*
 * Store the soft limit RLIMIT_STACK of the process in bytes, or TARGET_UNLIMITED. Return false if it is not known, as
 * for a core.
 */
bool target_stack_limit(struct target *t, uint64_t *ret);

/*
 * Parse the text of /proc/PID/limits, and store the soft limit on the line that starts with @name. Return false
 * without such a line.
 */
bool target_limit_parse(const char *limits, const char *name, uint64_t *ret);

#endif
