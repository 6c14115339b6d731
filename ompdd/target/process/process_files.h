/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists the files that a running process has mapped, from /proc/PID. */
#ifndef OMPDD_TARGET_PROCESS_FILES_H
#define OMPDD_TARGET_PROCESS_FILES_H

#include "target/modules/module_list.h"

/* For targets of type struct process. */
extern const struct module_source process_files;

#endif
