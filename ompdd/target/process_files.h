/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a running process has mapped, as /proc/PID shows it. */
#ifndef OMPDD_TARGET_PROCESS_FILES_H
#define OMPDD_TARGET_PROCESS_FILES_H

#include "target/modules.h"

/* For targets that are a struct process. */
extern const struct modules_source process_files;

#endif
