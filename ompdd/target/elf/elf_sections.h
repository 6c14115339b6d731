/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sections of an ELF file other than its symbols. The file belongs to the target: every offset in it is checked. */
#ifndef OMPDD_TARGET_ELF_SECTIONS_H
#define OMPDD_TARGET_ELF_SECTIONS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Notes and .comment are read up to this size. */
#define ELF_SECTIONS_MAX_NOTES 65536

/* Return the section of @type; with @name not NULL, the one with that name. NULL without one. */
Elf_Scn *elf_sections_find(Elf *elf, uint32_t type, const char *name);
/* Return the data of @scn, or NULL. @scn may be NULL. */
Elf_Data *elf_sections_data(Elf_Scn *scn);

/* Store the lower-case hex of the build-id note in @notes, or "". @ret has 41 bytes. */
void elf_sections_parse_build_id(const unsigned char *notes, size_t len, char *ret);
/* The same from the note sections of @elf. */
void elf_sections_build_id(Elf *elf, char *ret);

/* Return the first string of .comment, malloc'ed, or NULL. */
char *elf_sections_compiler(Elf *elf);

/* Store name and checksum of .gnu_debuglink; return false without one. The name has no slash. */
bool elf_sections_debuglink(Elf *elf, char *name, size_t size, uint32_t *crc_ret);

#endif
