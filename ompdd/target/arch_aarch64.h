/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where aarch64 Linux has each register in struct arch_registers: x0 to x30, then as below; first as in its struct
 * user_pt_regs. */
#ifndef OMPDD_TARGET_ARCH_AARCH64_H
#define OMPDD_TARGET_ARCH_AARCH64_H

enum {
	AARCH64_X29 = 29,
	AARCH64_X30,
	AARCH64_SP,
	AARCH64_PC,
	AARCH64_PSTATE,
	AARCH64_TPIDR, /* a note of its own */
};

#endif
