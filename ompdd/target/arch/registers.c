/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts registers with the processor's table (target/arch/arch.h) to the types of thread.h. */
#include "target/arch/registers.h"

#include <string.h>

#include "target/arch/syscalls.h"

void registers_to_activity(const struct arch_registers *regs, const unsigned char *code, size_t len,
			   struct target_activity *ret)
{
	ret->known = true;
	ret->pc = arch_pc(regs);
	ret->sp = arch_sp(regs);
	if (!arch->return_slot) {
		uint64_t value[ARCH_N_REGISTERS];

		arch->by_dwarf(regs, value);
		ret->link = value[arch->return_register];
	}
	ret->in_syscall = arch->is_in_call(regs, code, len, &ret->syscall, ret->args);
	if (ret->in_syscall)
		ret->syscall = syscall_here(arch, ret->syscall);
}

void registers_to_target(const struct arch_registers *regs, struct target_registers *ret)
{
	ret->known = TARGET_ALL_REGISTERS;
	memset(ret->value, 0, sizeof(ret->value));
	arch->by_dwarf(regs, ret->value);
}
