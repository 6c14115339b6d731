/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a module's program headers from the target's memory (System V ABI, chapter 5). */
#ifndef OMPDD_TARGET_MODULE_HEADER_H
#define OMPDD_TARGET_MODULE_HEADER_H

#include <elf.h>

#include "target/modules/modules.h"
#include "target/target.h"

/*
 * Find the first program header of @type (PT_*) of @module. Reads the view, or the running target. Return false if
 * there is no such header, or it cannot be read.
 */
bool module_header_find(struct target *t, const struct target_module *module, uint32_t type, Elf64_Phdr *ret);

/*
 * Return whether the bytes at @address are as the dynamic linker left them. True in a segment that the module cannot
 * write, or in the part that is read-only after relocation (PT_GNU_RELRO).
 */
bool module_header_is_constant(struct target *t, uint64_t address);

#endif
