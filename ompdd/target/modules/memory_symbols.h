/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a dynamic symbol table from the target's memory, for modules without an accessible file. */
#ifndef OMPDD_TARGET_MEMORY_SYMBOLS_H
#define OMPDD_TARGET_MEMORY_SYMBOLS_H

#include "base/error.h"
#include "target/elf/symbols.h"
#include "target/target.h"

/*
 * @dynamic is the address of the dynamic section; 0: found through the program headers of the ELF header at @header.
 * ERR_SYMBOL_NOT_FOUND when there is no usable table.
 */
MUST_USE struct error *memory_symbols_create(struct target *t, uint64_t bias, uint64_t dynamic, uint64_t header,
					     struct symbols **ret);

#endif
