/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From the registers of a stopped thread, by ptrace or from a core's note, to what target.h says of them. */
#ifndef OMPDD_TARGET_REGISTERS_H
#define OMPDD_TARGET_REGISTERS_H

#include "target/arch.h"
#include "target/target.h"

/* What the thread of @t was doing: in which system call it stands, if in any. */
void registers_to_activity(struct target *t, const struct arch_registers *regs, struct target_activity *ret);

/* All general registers, in DWARF numbering. */
void registers_to_target(const struct arch_registers *regs, struct target_registers *ret);

/* Where a function returns to of which @regs are the registers at its first instruction. Errors: as of target_read().
 */
MUST_USE struct error *registers_return_address(struct target *t, const struct target_registers *regs, uint64_t *ret);

#endif
