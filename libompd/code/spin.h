/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Find the word that a thread spins on, from its code and its registers. */
#ifndef OMPDD_LIBOMPD_CODE_SPIN_H
#define OMPDD_LIBOMPD_CODE_SPIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompd-more.h"

/*
 * Code to read: at most SPIN_MAX_CODE bytes of a function; SPIN_BEHIND bytes after the program
 * counter are enough.
 */
#define SPIN_MAX_CODE 2048
#define SPIN_BEHIND   80

/*
 * Find the word that a thread at @place polls in the function @code of @size bytes. The thread must
 * be in a loop without calls and stores. Only that word decides whether the loop ends, and a
 * register holds its address. Returns false if there is no such loop.
 */
bool spin_word(const uint8_t *code, size_t size, const ompd_place_t *place, ompd_addr_t *ret);

#endif
