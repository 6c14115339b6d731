/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For what word to change a thread waits awake: its code and its registers say so. */
#ifndef OMPDD_LIBOMPD_CODE_SPIN_H
#define OMPDD_LIBOMPD_CODE_SPIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompd-more.h"

/* Of a function so many bytes are looked at, and behind the program counter so many are enough. */
#define SPIN_MAX_CODE 2048
#define SPIN_BEHIND   80

/*
 * The word at which the function @code, of which there are @size bytes, looks again and again while a thread is at
 * @place: it is in a loop without calls and stores that goes on or ends by that word alone, and whose address is in a
 * register. False: it is in no such loop.
 */
bool spin_word(const uint8_t *code, size_t size, const ompd_place_t *place, ompd_addr_t *ret);

#endif
