/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading struct user_regs_struct; called by process.c and core.c. */
#include "target/registers.h"

void registers_to_activity(const struct user_regs_struct *regs, struct target_activity *ret)
{
	long result = (long)regs->rax;

	ret->known = true;
	ret->pc = regs->rip;
	ret->sp = regs->rsp;
	/*
	 * -ERESTARTSYS, -ERESTARTNOINTR, -ERESTARTNOHAND and -ERESTART_RESTARTBLOCK never leave the kernel: a
	 * thread that shows them was interrupted in a call that it will go on with.
	 */
	if ((long)regs->orig_rax < 0 ||
	    (result != -512 && result != -513 && result != -514 && result != -516))
		return;
	ret->in_syscall = true;
	ret->syscall = (long)regs->orig_rax;
	ret->args[0] = regs->rdi;
	ret->args[1] = regs->rsi;
	ret->args[2] = regs->rdx;
	ret->args[3] = regs->r10;
	ret->args[4] = regs->r8;
	ret->args[5] = regs->r9;
}

void registers_to_target(const struct user_regs_struct *regs, struct target_registers *ret)
{
	*ret = (struct target_registers){
		.value = {regs->rax, regs->rdx, regs->rcx, regs->rbx, regs->rsi, regs->rdi, regs->rbp,
			  regs->rsp, regs->r8, regs->r9, regs->r10, regs->r11, regs->r12, regs->r13,
			  regs->r14, regs->r15, regs->rip},
		.known = (1u << TARGET_N_REGISTERS) - 1,
	};
}
