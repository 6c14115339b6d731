/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The symbols of one ELF file, hashed by name and sorted by address; addresses are the file's
 * own. The file belongs to the target: every offset in it is checked.
 */
#ifndef OMPDD_TARGET_SYMBOLS_H
#define OMPDD_TARGET_SYMBOLS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Symbols of one file; more are ignored. */
#define SYMBOLS_MAX (16u << 20)
/* Notes and .comment are read up to this size. */
#define SYMBOLS_MAX_NOTES 65536

struct symbols;

/* How much of a file: what others may link with, or also what is the file's own, and its debug file's. */
enum symbols_extent { SYMBOLS_EXPORTED, SYMBOLS_ALL, SYMBOLS_EXTENTS };

struct symbols_entry {
	uint64_t value;
	uint64_t size;
	bool is_tls;
	bool is_function; /* or a label */
	const char *name; /* borrowed from the table */
};

/*
 * From an open ELF file: .symtab, else that of @debug (may be NULL), then .dynsym. Takes ownership of both, also on
 * error. A file without symbols gives an empty table.
 */
MUST_USE struct error *symbols_create(Elf *elf TAKES, Elf *debug TAKES, struct symbols **ret);
/* From .dynsym alone, which is what others may link with: of a C library a tenth of what its debug file has. */
MUST_USE struct error *symbols_create_exported(Elf *elf TAKES, struct symbols **ret);

/* From copies of a dynamic symbol table in memory; takes ownership of both, also on error. */
MUST_USE struct error *symbols_create_raw(Elf64_Sym *syms TAKES, size_t n_syms, char *strings TAKES, size_t strings_len,
					  struct symbols **ret);
/* The same table once more: each is destroyed by itself. */
struct symbols *symbols_ref(struct symbols *s);
void symbols_destroy(struct symbols *s);

/* The hash of a name, to be computed once for many tables. */
uint32_t symbols_hash(const char *name);

/* By exact name, whatever its version. */
bool symbols_find(const struct symbols *s, const char *name, uint32_t hash, struct symbols_entry *ret);

/* Whether the file wants pthread_create() from another one; what starts threads and is no C library itself does. */
bool symbols_imports_threads(const struct symbols *s);
/* Whether the file wants anything from another one; what is linked statically does not. */
bool symbols_imports(const struct symbols *s);

/* The function or object that covers @value. */
bool symbols_at(struct symbols *s, uint64_t value, struct symbols_entry *ret);

/* The variable that covers @value: of a size that the file says, and no label or function. */
bool symbols_object_at(struct symbols *s, uint64_t value, struct symbols_entry *ret);

size_t symbols_count(const struct symbols *s);
/* Number @i of them, in no order. */
void symbols_get(const struct symbols *s, size_t i, struct symbols_entry *ret);

/* Whether @elf has a .symtab with something in it. */
bool symbols_has_symtab(Elf *elf);

/* Lower-case hex of the build-id note in @notes, "" when there is none. @ret has 41 bytes. */
void symbols_build_id(const unsigned char *notes, size_t len, char *ret);
/* The same from the note sections of @elf. */
void symbols_elf_build_id(Elf *elf, char *ret);

/* First string of .comment, malloc'ed; NULL when there is none. */
char *symbols_elf_compiler(Elf *elf);

/* Name and checksum in .gnu_debuglink; false when there is none. The name has no slash. */
bool symbols_elf_debuglink(Elf *elf, char *name, size_t size, uint32_t *crc_ret);

#endif
