/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the processor's table (target/arch.h) says of registers, in the terms of target.h. */
#include "target/registers.h"

#include "target/target_ops.h"

void registers_to_activity(const struct arch_registers *regs, struct target_activity *ret)
{
	ret->known = true;
	ret->pc = arch.pc(regs);
	ret->sp = arch.sp(regs);
	ret->in_syscall = arch.is_in_call(regs, &ret->syscall, ret->args);
}

void registers_to_target(const struct arch_registers *regs, struct target_registers *ret)
{
	ret->known = ((uint64_t)1 << TARGET_N_REGISTERS) - 1;
	arch.by_dwarf(regs, ret->value);
}

struct error *registers_return_address(struct target *t, const struct target_registers *regs, uint64_t *ret)
{
	if (arch.return_slot)
		return target_read(t, regs->value[TARGET_REGISTER_SP], ret, sizeof(*ret));
	*ret = regs->value[arch.return_register];
	return NULL;
}
