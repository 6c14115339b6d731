/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads an ELF file's symbols with libelf. */
#include "symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	int cmp = strcmp(x->name, y->name);

	return cmp ? cmp : x->is_local - y->is_local;
}

static bool add_symbol(struct symbols *symbols, const GElf_Sym *from, const char *name)
{
	unsigned type = GELF_ST_TYPE(from->st_info);

	if (from->st_shndx == SHN_UNDEF || !name || !name[0] || type == STT_FILE || type == STT_SECTION)
		return true;
	if ((symbols->n & (symbols->n - 1)) == 0) {
		size_t room = symbols->n ? 2 * symbols->n : 1;
		struct symbol *more = reallocarray(symbols->all, room, sizeof(*more));

		if (!more)
			return false;
		symbols->all = more;
	}
	struct symbol *symbol = &symbols->all[symbols->n];

	*symbol = (struct symbol){strdup(name), from->st_value, type == STT_TLS, GELF_ST_BIND(from->st_info) == STB_LOCAL};
	symbols->n += symbol->name != NULL;
	return symbol->name != NULL;
}

static bool read_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct symbols *ret)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		if (!add_symbol(ret, &symbol, elf_strptr(elf, header->sh_link, symbol.st_name)))
			return false;
	}
	return true;
}

static bool read_elf(Elf *elf, struct symbols *ret)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	if (elf_kind(elf) != ELF_K_ELF)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) && (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM) &&
		    !read_table(elf, section, &header, ret))
			return false;
	}
	return true;
}

bool symbols_read(const char *path, struct symbols *ret)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);

	*ret = (struct symbols){0};
	if (file < 0)
		return false;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(file, ELF_C_READ, NULL);
	bool done = elf && read_elf(elf, ret);

	elf_end(elf);
	close(file);
	if (done && ret->n)
		qsort(ret->all, ret->n, sizeof(*ret->all), compare);
	return done;
}

void symbols_deinit(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->n; i++)
		free(symbols->all[i].name);
	free(symbols->all);
	*symbols = (struct symbols){0};
}

const struct symbol *symbols_find(const struct symbols *symbols, const char *name)
{
	size_t low = 0, high = symbols->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(symbols->all[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < symbols->n && strcmp(symbols->all[low].name, name) == 0 ? &symbols->all[low] : NULL;
}
