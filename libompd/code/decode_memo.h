/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A cache of decoded instructions: many processes have the same code, and paths through a function meet. */
#ifndef OMPDD_LIBOMPD_CODE_DECODE_MEMO_H
#define OMPDD_LIBOMPD_CODE_DECODE_MEMO_H

#include "code/decode.h"

/* Decode as decode_next() does, but each sequence of bytes only once. Its meaning depends on nothing else. */
bool decode_memo_next(const uint8_t *code, size_t size, ompd_addr_t address, struct decode *ret);

#endif
