/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which function a call instruction calls. A function that ends with a jump is not on the stack, but the call that led
 * into it is in the code. Called by openmp/stacks.
 */
#ifndef OMPDD_TARGET_CALL_H
#define OMPDD_TARGET_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "target/target.h"

/*
 * Where the call before @return_address goes, through the procedure linkage table if it leads there; false for
 * indirect calls that the code does not tell. May be called when the target runs again: code does not change.
 */
bool call_target(struct target *t, uint64_t return_address, uint64_t *ret);

#endif
