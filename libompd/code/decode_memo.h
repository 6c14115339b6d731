/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instructions that were decoded before: many processes have the same code, and paths through a function meet. */
#ifndef OMPDD_LIBOMPD_CODE_DECODE_MEMO_H
#define OMPDD_LIBOMPD_CODE_DECODE_MEMO_H

#include "code/decode.h"

/* As decode_next(), which the same bytes are given to once: what they mean depends on nothing else. */
bool decode_memo_next(const uint8_t *code, size_t size, ompd_addr_t address, struct decode *ret);
/* Forget all: the same bytes mean something else. */
void decode_memo_forget(void);

#endif
