/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The index of each register in struct arch_registers on aarch64 Linux: x0 to x30, then as below. The first ones follow
 * the order of struct user_pt_regs.
 */
#ifndef OMPDD_TARGET_ARCH_AARCH64_H
#define OMPDD_TARGET_ARCH_AARCH64_H

enum {
	AARCH64_X29 = 29,
	AARCH64_X30,
	AARCH64_SP,
	AARCH64_PC,
	AARCH64_PSTATE,
	AARCH64_TPIDR, /* has its own note */
};

#endif
