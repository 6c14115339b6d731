/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The limit of open files of this process (RLIMIT_NOFILE). */
#ifndef OMPDD_BASE_FILE_LIMIT_H
#define OMPDD_BASE_FILE_LIMIT_H

#include <stddef.h>

/* Raise the limit as far as the system permits. Return the limit; 0: unknown. */
size_t file_limit_raise(void);

#endif
