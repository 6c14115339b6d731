/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts registers with the processor's table (target/arch.h) to the types of target.h. */
#include "target/registers.h"

#include <string.h>

#include "target/syscalls.h"
#include "target/target_ops.h"

void registers_to_activity(struct target *t, const struct arch_registers *regs, struct target_activity *ret)
{
	unsigned char code[ARCH_BREAKPOINT_BYTES];
	size_t len = arch->call_is_ahead && target_try_read(t, arch_pc(regs), code, sizeof(code)) ? sizeof(code) : 0;

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

struct error *registers_return_address(struct target *t, const struct target_registers *regs, uint64_t *ret)
{
	if (arch->return_slot)
		return target_read(t, regs->value[TARGET_REGISTER_SP], ret, sizeof(*ret));
	*ret = regs->value[arch->return_register];
	return NULL;
}
