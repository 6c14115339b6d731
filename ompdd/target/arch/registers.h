/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts the registers of a stopped thread, from ptrace or a core's note, to the types of thread.h. */
#ifndef OMPDD_TARGET_REGISTERS_H
#define OMPDD_TARGET_REGISTERS_H

#include "target/arch/thread.h"

/*
 * Store what the thread was doing: the system call in which it was stopped, if any. @code: the @len bytes at the
 * program counter; they are needed only if arch->call_is_ahead.
 */
void registers_to_activity(const struct arch_registers *regs, const unsigned char *code, size_t len,
			   struct target_activity *ret);
/* Store all general registers in DWARF numbering. */
void registers_to_target(const struct arch_registers *regs, struct target_registers *ret);

#endif
