/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From the registers of a stopped thread, by ptrace or from a core's note, to what target.h says of them. */
#ifndef OMPDD_TARGET_REGISTERS_H
#define OMPDD_TARGET_REGISTERS_H

#include <sys/user.h>

#include "target/target.h"

/* What the thread was doing: in which system call it stands, if in any. */
void registers_to_activity(const struct user_regs_struct *regs, struct target_activity *ret);

/* All general registers, in DWARF numbering. */
void registers_to_target(const struct user_regs_struct *regs, struct target_registers *ret);

#endif
