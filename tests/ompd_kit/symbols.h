/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The symbols of an ELF file, from its tables .dynsym and .symtab, found by name. */
#ifndef OMPD_KIT_SYMBOLS_H
#define OMPD_KIT_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	char *name;
	uint64_t value; /* before relocation; an offset in the module's block if is_tls */
	bool is_tls;
	bool is_local;
};

struct symbols {
	struct symbol *all; /* ordered by name, global symbols before local ones */
	size_t n;
};

/* Read the symbols of @path. Returns false for a file that cannot be read or is not an ELF file. */
bool symbols_read(const char *path, struct symbols *ret);

void symbols_deinit(struct symbols *symbols);

/* Return the symbol @name, or NULL. */
const struct symbol *symbols_find(const struct symbols *symbols, const char *name);

#endif
