/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads the dynamic section, its symbols and strings from memory. The target controls all data, so counts are limited.
 */
#include "target/modules/memory_symbols.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DYNAMIC 4096
#define MAX_PHDRS   512
/* Limits for one module's dynamic symbol table in memory. */
#define MAX_SYMBOLS (1u << 20)
#define MAX_STRINGS (64u << 20)
#define MAX_BUCKETS (1u << 20)

struct dynamic {
	uint64_t symtab;
	uint64_t strtab;
	uint64_t strsz;
	uint64_t hash;
	uint64_t gnu_hash;
};

static struct error *error_none(void)
{
	return error_create(ERR_SYMBOL_NOT_FOUND, "the module has no dynamic symbols in memory");
}

static struct error *find_dynamic(struct target *t, uint64_t bias, uint64_t header, uint64_t *ret)
{
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	struct error *err = target_read(t, header, &ehdr, sizeof(ehdr));

	if (err)
		return err;
	if (memcmp(ehdr.e_ident, ELFMAG, SELFMAG) || ehdr.e_phentsize != sizeof(phdr) || ehdr.e_phnum > MAX_PHDRS)
		return error_none();
	for (size_t i = 0; i < ehdr.e_phnum; i++) {
		err = target_read(t, header + ehdr.e_phoff + i * sizeof(phdr), &phdr, sizeof(phdr));
		if (err)
			return err;
		if (phdr.p_type == PT_DYNAMIC) {
			*ret = bias + phdr.p_vaddr;
			return NULL;
		}
	}
	return error_none();
}

static struct error *read_dynamic(struct target *t, uint64_t bias, uint64_t addr, struct dynamic *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < MAX_DYNAMIC; i++) {
		Elf64_Dyn dyn;
		struct error *err = target_read(t, addr + i * sizeof(dyn), &dyn, sizeof(dyn));

		if (err)
			return err;
		/* The dynamic linker has already added the bias, unless the section is read-only (vdso). */
		uint64_t value = dyn.d_un.d_ptr < bias ? dyn.d_un.d_ptr + bias : dyn.d_un.d_ptr;
		switch (dyn.d_tag) {
		case DT_NULL:
			return NULL;
		case DT_SYMTAB:
			ret->symtab = value;
			break;
		case DT_STRTAB:
			ret->strtab = value;
			break;
		case DT_STRSZ:
			ret->strsz = dyn.d_un.d_val;
			break;
		case DT_HASH:
			ret->hash = value;
			break;
		case DT_GNU_HASH:
			ret->gnu_hash = value;
			break;
		default:
			break;
		}
	}
	return NULL;
}

/* Count the symbols of a GNU hash table: the table has no length of its own, and its highest chain ends it. */
static struct error *count_gnu(struct target *t, uint64_t hash, size_t *ret)
{
	uint32_t header[4]; /* buckets, first symbol, words of the bloom filter, shift */
	uint32_t highest = 0, link;
	struct error *err = target_read(t, hash, header, sizeof(header));

	if (err)
		return err;
	if (header[0] > MAX_BUCKETS || header[2] > MAX_BUCKETS)
		return error_none();
	uint64_t buckets = hash + sizeof(header) + header[2] * 8ull;
	uint64_t chains = buckets + header[0] * 4ull;
	for (uint32_t i = 0; i < header[0]; i++) {
		uint32_t first;

		err = target_read(t, buckets + i * 4ull, &first, sizeof(first));
		if (err)
			return err;
		if (first > highest)
			highest = first;
	}
	if (highest < header[1]) {
		*ret = header[1] < MAX_SYMBOLS ? header[1] : MAX_SYMBOLS;
		return NULL;
	}
	do {
		err = target_read(t, chains + (highest - header[1]) * 4ull, &link, sizeof(link));
		if (err)
			return err;
		highest++;
	} while (!(link & 1) && highest < MAX_SYMBOLS);
	*ret = highest < MAX_SYMBOLS ? highest : MAX_SYMBOLS;
	return NULL;
}

static struct error *count_symbols(struct target *t, const struct dynamic *d, size_t *ret)
{
	uint32_t header[2]; /* buckets, chains: one for each symbol */

	if (!d->hash)
		return d->gnu_hash ? count_gnu(t, d->gnu_hash, ret) : error_none();
	struct error *err = target_read(t, d->hash, header, sizeof(header));
	if (err)
		return err;
	*ret = header[1] < MAX_SYMBOLS ? header[1] : MAX_SYMBOLS;
	return NULL;
}

struct error *memory_symbols_create(struct target *t, uint64_t bias, uint64_t dynamic, uint64_t header,
				    struct symbols **ret)
{
	struct dynamic d;
	size_t n = 0;
	struct error *err = dynamic ? NULL : find_dynamic(t, bias, header, &dynamic);

	if (!err)
		err = read_dynamic(t, bias, dynamic, &d);
	if (!err && (!d.symtab || !d.strtab || !d.strsz || d.strsz > MAX_STRINGS))
		err = error_none();
	if (!err)
		err = count_symbols(t, &d, &n);
	if (err)
		return err;
	Elf64_Sym *syms = malloc(n * sizeof(*syms) + 1);
	char *strings = malloc(d.strsz);
	if (!syms || !strings)
		err = &error_nomem;
	if (!err)
		err = target_read(t, d.symtab, syms, n * sizeof(*syms));
	if (!err)
		err = target_read(t, d.strtab, strings, d.strsz);
	if (err) {
		free(syms);
		free(strings);
		return err;
	}
	return symbols_create_raw(syms, n, strings, d.strsz, ret);
}
