/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Detects programs that execute the target's code in place of the processor (valgrind, qemu-user, DynamoRIO, Pin, ...).
 * The registers, stacks and system calls that the kernel shows are then the emulator's, and prove nothing about the
 * program.
 */
#ifndef OMPDD_TARGET_EMULATOR_H
#define OMPDD_TARGET_EMULATOR_H

struct target;

/*
 * Return the name of the emulator that executes the program of @t, for messages, or NULL. A literal. Searches the
 * executable and the modules once per view.
 */
const char *target_emulator(struct target *t);

#endif
