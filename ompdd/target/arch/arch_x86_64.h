/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The index of each register in struct arch_registers on x86-64 Linux, in the order of struct user_regs_struct. */
#ifndef OMPDD_TARGET_ARCH_X86_64_H
#define OMPDD_TARGET_ARCH_X86_64_H

enum {
	X86_R15,
	X86_R14,
	X86_R13,
	X86_R12,
	X86_RBP,
	X86_RBX,
	X86_R11,
	X86_R10,
	X86_R9,
	X86_R8,
	X86_RAX,
	X86_RCX,
	X86_RDX,
	X86_RSI,
	X86_RDI,
	X86_ORIG_RAX,
	X86_RIP,
	X86_CS,
	X86_EFLAGS,
	X86_RSP,
	X86_SS,
	X86_FS_BASE,
	X86_GS_BASE,
	X86_DS,
	X86_ES,
	X86_FS,
	X86_GS,
	X86_WORDS,
};

#endif
