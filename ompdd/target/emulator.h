/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Programs that execute the target's code in the processor's place (valgrind, qemu-user, DynamoRIO, Pin, …). Registers,
 * stacks and system calls that the kernel shows are then the emulator's, and prove nothing of the program.
 */
#ifndef OMPDD_TARGET_EMULATOR_H
#define OMPDD_TARGET_EMULATOR_H

struct target;

/* The name of the emulator that executes the program of @t, for people; NULL: none is known. A literal. Looked for once
 * in each view, among the executable and the modules. */
const char *target_emulator(struct target *t);

#endif
