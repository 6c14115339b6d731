/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads single members of CPython's objects, and remembers the objects of a list, so that its walk ends. */
#ifndef OMPDD_OPENMP_PYTHON_MEMORY_H
#define OMPDD_OPENMP_PYTHON_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "target/target.h"

/* Addresses that a walk has met. All zeroes is a valid empty set. */
struct python_seen {
	uint64_t *addresses;
	uint32_t n, cap;
	struct hash index;
};

/* Adds @address. Returns false if the set has it, or if memory is out: the walk ends. */
bool python_seen_add(struct python_seen *s, uint64_t address);
void python_seen_deinit(struct python_seen *s);

/* Read a member of 8, 4 or 1 bytes through the pages of this view. Return false if it is not readable. */
bool python_read_word(struct target *t, uint64_t address, uint64_t *ret);
bool python_read_int(struct target *t, uint64_t address, int32_t *ret);
/* Reads @len bytes; @is_fresh: from the target itself, not from the pages of this view. */
bool python_read(struct target *t, bool is_fresh, uint64_t address, void *buf, size_t len);

#endif
