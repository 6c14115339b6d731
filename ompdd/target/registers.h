/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts the registers of a stopped thread, from ptrace or a core's note, to the types of target.h. */
#ifndef OMPDD_TARGET_REGISTERS_H
#define OMPDD_TARGET_REGISTERS_H

#include "target/arch.h"
#include "target/target.h"

/* Store what the thread of @t was doing: the system call in which it was stopped, if any. */
void registers_to_activity(struct target *t, const struct arch_registers *regs, struct target_activity *ret);

/* Store all general registers in DWARF numbering. */
void registers_to_target(const struct arch_registers *regs, struct target_registers *ret);

/*
 * Store the return address of a function from @regs, the registers at its first instruction. Errors: those of
 * target_read().
 */
MUST_USE struct error *registers_return_address(struct target *t, const struct target_registers *regs, uint64_t *ret);

#endif
