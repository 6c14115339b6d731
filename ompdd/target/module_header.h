/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the program headers of a module say, as they lie in the target's memory (System V ABI, chapter 5). */
#ifndef OMPDD_TARGET_MODULE_HEADER_H
#define OMPDD_TARGET_MODULE_HEADER_H

#include <elf.h>

#include "target/target.h"

/* The first program header of @type (PT_*) of @module, in the view or what runs; false: none, or it cannot be read. */
bool module_header_find(struct target *t, const struct target_module *module, uint32_t type, Elf64_Phdr *ret);

/*
 * Whether what lies at @address is what the dynamic linker left there: in a segment that the module does not write, or
 * in the part that is closed to it once it is relocated (PT_GNU_RELRO).
 */
bool module_header_is_constant(struct target *t, uint64_t address);

#endif
