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

struct symbols;

/* The part of a file's symbols: those that others can link with, or also the file's local ones and its debug file's. */
enum symbols_extent { SYMBOLS_EXPORTED, SYMBOLS_ALL, SYMBOLS_EXTENTS };

struct symbols_entry {
	uint64_t value;
	uint64_t size;
	bool is_tls;
	bool is_function; /* or a label */
	const char *name; /* borrowed from the table */
};

/*
 * Create a table from an open ELF file: .symtab, else that of @debug (may be NULL), then .dynsym. Takes ownership of
 * both, also on error. A file without symbols gives an empty table.
 */
MUST_USE struct error *symbols_create(Elf *elf TAKES, Elf *debug TAKES, struct symbols **ret);
/*
 * Create a table from .dynsym only, which others can link with. For a C library this is a tenth of its debug file's
 * table.
 */
MUST_USE struct error *symbols_create_exported(Elf *elf TAKES, struct symbols **ret);

/* Create a table from copies of a dynamic symbol table in memory; takes ownership of both, also on error. */
MUST_USE struct error *symbols_create_raw(Elf64_Sym *syms TAKES, size_t n_syms, char *strings TAKES, size_t strings_len,
					  struct symbols **ret);
/* Return another reference to the table; each reference is destroyed separately. */
struct symbols *symbols_ref(struct symbols *s);
void symbols_destroy(struct symbols *s);

/* Return the hash of a name; compute it once for many tables. */
uint32_t symbols_hash(const char *name);

/* Find a symbol by exact name, whatever its version. */
bool symbols_find(const struct symbols *s, const char *name, uint32_t hash, struct symbols_entry *ret);

/* Return whether the file imports pthread_create(). A file that starts threads does so unless it is the C library. */
bool symbols_imports_threads(const struct symbols *s);
/* Return whether the file imports any symbol. A statically linked file does not. */
bool symbols_imports(const struct symbols *s);
/* Return whether the file imports a name with @hash, see symbols_hash(). Another name may have the same hash. */
bool symbols_imports_hash(const struct symbols *s, uint32_t hash);

/* Find the function or object that covers @value. */
bool symbols_at(struct symbols *s, uint64_t value, struct symbols_entry *ret);

/* Find the variable that covers @value: not a label or function, and with a size in the file. */
bool symbols_object_at(struct symbols *s, uint64_t value, struct symbols_entry *ret);

size_t symbols_count(const struct symbols *s);
/* Store symbol number @i, in no particular order. */
void symbols_get(const struct symbols *s, size_t i, struct symbols_entry *ret);

/* Return whether @elf has a .symtab that is not empty. */
bool symbols_has_symtab(Elf *elf);

#endif
