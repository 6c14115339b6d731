/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The numbers of x86-64 (System V ABI) that target/arch.h asks for; include that. */
#ifndef OMPDD_TARGET_ARCH_X86_64_H
#define OMPDD_TARGET_ARCH_X86_64_H

#include <sys/user.h>

struct arch_registers {
	struct user_regs_struct user;
};

/* rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, and rip. */
#define ARCH_N_REGISTERS 17
#define ARCH_REGISTER_FP 6
#define ARCH_REGISTER_SP 7
#define ARCH_REGISTER_PC 16
/* rbx, rbp, r12 to r15. */
#define ARCH_N_KEPT 6

/* A load, the move of an argument, and the call; call *disp32(%rip). */
#define ARCH_CALL_BYTES	      16
#define ARCH_CALL_BYTES_LEAST 6
#define ARCH_PLT_BYTES	      16

#endif
