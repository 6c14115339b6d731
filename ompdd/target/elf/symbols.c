/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads symbol tables of ELF files with libelf; one per module, created by modules.c on first use. */
#include "target/elf/symbols.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "target/elf/elf_sections.h"

#define VERSYM_IS_HIDDEN 0x8000
/* The number of symbols examined between an address and the start of its variable. */
#define MAX_BETWEEN 16

/* A table of a file, not converted: of some thousand symbols, about a dozen are requested. */
struct table {
	const unsigned char *syms; /* may be unaligned, like the versions */
	const char *strings;
	const unsigned char *versions;
	size_t n_versions;
	bool is_symtab;
};

/* A symbol of a table. */
struct entry {
	uint32_t at; /* its number; IN_SECOND: in the second table */
	uint32_t hash;
};

#define IN_SECOND (1u << 31)

struct symbols {
	struct table tables[2]; /* .symtab and .dynsym, or only one of them */
	size_t n_tables;
	struct entry *entries;
	size_t n;
	size_t cap;
	uint32_t *index; /* open addressing: entry number + 1, 0 is free */
	size_t cap_index;
	uint32_t *sorted; /* functions and objects by value; created on first use */
	size_t n_sorted;
	Elf *elf; /* own the strings */
	Elf *debug;
	Elf64_Sym *raw_syms;
	char *raw_strings;
	uint32_t *imports; /* hashes of the imported names */
	size_t n_imports, cap_imports;
	bool imports_threads;
	unsigned n_refs; /* references beyond the first */
};

uint32_t symbols_hash(const char *name)
{
	const uint64_t odd = 0x9e3779b97f4a7c15u;
	size_t n = strlen(name);
	uint64_t h = n, word;

	/* Eight bytes at a time: this runs for each symbol of each file. */
	for (; n >= sizeof(word); name += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, name, sizeof(word));
		h = (h ^ word) * odd;
		h ^= h >> 32;
	}
	for (word = 0; n; n--)
		word = word << 8 | (unsigned char)*name++;
	h = (h ^ word) * odd;
	return (uint32_t)(h ^ h >> 32);
}

struct symbols *symbols_ref(struct symbols *s)
{
	s->n_refs++;
	return s;
}

void symbols_destroy(struct symbols *s)
{
	if (!s || s->n_refs--)
		return;
	free(s->sorted);
	free(s->index);
	free(s->entries);
	free(s->imports);
	elf_end(s->debug);
	elf_end(s->elf);
	free(s->raw_syms);
	free(s->raw_strings);
	free(s);
}

/* Return whether this symbol is useful. */
static bool is_wanted(const Elf64_Sym *sym)
{
	unsigned type = ELF64_ST_TYPE(sym->st_info);

	/* Absolute symbols are version names etc.: they are not addresses in the target. */
	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS || !sym->st_name)
		return false;
	return type == STT_NOTYPE || type == STT_OBJECT || type == STT_FUNC || type == STT_COMMON || type == STT_TLS ||
	       type == STT_GNU_IFUNC;
}

static Elf64_Sym read_sym(const struct table *t, size_t i)
{
	Elf64_Sym sym;

	memcpy(&sym, t->syms + i * sizeof(sym), sizeof(sym));
	return sym;
}

static const struct table *table_of(const struct symbols *s, const struct entry *e)
{
	return &s->tables[e->at & IN_SECOND ? 1 : 0];
}

static Elf64_Sym sym_of(const struct symbols *s, const struct entry *e)
{
	return read_sym(table_of(s, e), e->at & ~IN_SECOND);
}

static const char *name_of(const struct symbols *s, const struct entry *e)
{
	return table_of(s, e)->strings + sym_of(s, e).st_name;
}

static uint64_t value_of(const struct symbols *s, const struct entry *e)
{
	return sym_of(s, e).st_value;
}

/*
 * Return the rank among equal names, the highest wins: .symtab before .dynsym, there global before local, and a default
 * version before an old one ("name@VERSION").
 */
static int rank_of(const struct symbols *s, const struct entry *e)
{
	const struct table *t = table_of(s, e);
	Elf64_Sym sym = sym_of(s, e);
	size_t i = e->at & ~IN_SECOND;
	Elf64_Half version = 0;

	if (i < t->n_versions)
		memcpy(&version, t->versions + i * sizeof(version), sizeof(version));
	return (t->is_symtab ? 4 : 0) + (ELF64_ST_BIND(sym.st_info) == STB_LOCAL ? 0 : 2) +
	       (version & VERSYM_IS_HIDDEN ? 0 : 1);
}

static struct error *reserve_entries(struct symbols *s, size_t more)
{
	if (s->n + more <= s->cap)
		return NULL;
	struct entry *entries = realloc(s->entries, (s->n + more) * sizeof(*entries));
	if (!entries)
		return &error_nomem;
	s->entries = entries;
	s->cap = s->n + more;
	return NULL;
}

static struct error *add_table(struct symbols *s, const struct table *table, size_t n, size_t strings_len)
{
	uint32_t first = s->n_tables ? IN_SECOND : 0;

	/* Cut the table after its last NUL: then each offset inside is a terminated string. */
	while (strings_len && table->strings[strings_len - 1])
		strings_len--;
	if (n > SYMBOLS_MAX - s->n)
		n = SYMBOLS_MAX - s->n;
	struct error *err = reserve_entries(s, n);
	if (err)
		return err;
	s->tables[s->n_tables++] = *table;
	for (size_t i = 0; i < n; i++) {
		Elf64_Sym sym = read_sym(table, i);

		if (sym.st_shndx == SHN_UNDEF && !table->is_symtab && sym.st_name && sym.st_name < strings_len) {
			const char *name = table->strings + sym.st_name;

			if (!VECTOR_GROW(s->imports, s->n_imports, s->cap_imports))
				return &error_nomem;
			s->imports[s->n_imports++] = symbols_hash(name);
			s->imports_threads |= !strcmp(name, "pthread_create");
		}
		if (is_wanted(&sym) && sym.st_name < strings_len)
			s->entries[s->n++] = (struct entry){
				.at = first | (uint32_t)i,
				.hash = symbols_hash(table->strings + sym.st_name),
			};
	}
	return NULL;
}

static struct error *build_index(struct symbols *s)
{
	size_t cap = 16;

	while (cap < s->n * 2)
		cap *= 2;
	s->index = calloc(cap, sizeof(*s->index));
	if (!s->index)
		return &error_nomem;
	s->cap_index = cap;
	for (size_t i = 0; i < s->n; i++) {
		const struct entry *e = &s->entries[i];
		size_t at = e->hash & (cap - 1);

		for (; s->index[at]; at = (at + 1) & (cap - 1)) {
			const struct entry *other = &s->entries[s->index[at] - 1];

			if (other->hash == e->hash && !strcmp(name_of(s, other), name_of(s, e)))
				break;
		}
		if (!s->index[at] || rank_of(s, &s->entries[s->index[at] - 1]) < rank_of(s, e))
			s->index[at] = (uint32_t)i + 1;
	}
	return NULL;
}

static struct error *add_section(struct symbols *s, Elf *elf, uint32_t type)
{
	Elf_Scn *scn = elf_sections_find(elf, type, NULL);
	Elf_Data *syms = elf_sections_data(scn);
	GElf_Shdr shdr;

	if (!syms || !gelf_getshdr(scn, &shdr))
		return NULL;
	Elf_Data *strings = elf_sections_data(elf_getscn(elf, shdr.sh_link));
	if (!strings)
		return NULL;
	Elf_Data *versions = NULL;
	if (type == SHT_DYNSYM)
		versions = elf_sections_data(elf_sections_find(elf, SHT_GNU_versym, NULL));
	struct table table = {
		.syms = syms->d_buf,
		.strings = strings->d_buf,
		.versions = versions ? versions->d_buf : NULL,
		.n_versions = versions ? versions->d_size / sizeof(Elf64_Half) : 0,
		.is_symtab = type == SHT_SYMTAB,
	};
	return add_table(s, &table, syms->d_size / sizeof(Elf64_Sym), strings->d_size);
}

bool symbols_has_symtab(Elf *elf)
{
	Elf_Scn *scn = elf_sections_find(elf, SHT_SYMTAB, NULL);
	GElf_Shdr shdr;

	return scn && gelf_getshdr(scn, &shdr) && shdr.sh_size > sizeof(Elf64_Sym);
}

/* The end of both creation functions: index the added symbols, unless that failed with @err. */
static struct error *finish_table(struct symbols *s TAKES, struct error *err, struct symbols **ret)
{
	if (!err)
		err = build_index(s);
	if (err)
		symbols_destroy(s);
	else
		*ret = s;
	return err;
}

static struct error *create_table(Elf *elf TAKES, Elf *debug TAKES, bool only_exported, struct symbols **ret)
{
	struct symbols *s = calloc(1, sizeof(*s));

	if (!s) {
		elf_end(debug);
		elf_end(elf);
		return &error_nomem;
	}
	s->elf = elf;
	s->debug = debug;
	struct error *err = NULL;
	/* elf64_*() do not convert classes: other files have no usable symbols. */
	const char *ident = elf_getident(elf, NULL);
	if (ident && ident[EI_CLASS] == ELFCLASS64 && !only_exported)
		err = add_section(s, symbols_has_symtab(elf) ? elf : debug, SHT_SYMTAB);
	if (!err && ident && ident[EI_CLASS] == ELFCLASS64)
		err = add_section(s, elf, SHT_DYNSYM);
	return finish_table(s, err, ret);
}

struct error *symbols_create(Elf *elf TAKES, Elf *debug TAKES, struct symbols **ret)
{
	return create_table(elf, debug, false, ret);
}

struct error *symbols_create_exported(Elf *elf TAKES, struct symbols **ret)
{
	return create_table(elf, NULL, true, ret);
}

struct error *symbols_create_raw(Elf64_Sym *syms TAKES, size_t n_syms, char *strings TAKES, size_t strings_len,
				 struct symbols **ret)
{
	struct symbols *s = calloc(1, sizeof(*s));

	if (!s) {
		free(syms);
		free(strings);
		return &error_nomem;
	}
	s->raw_syms = syms;
	s->raw_strings = strings;
	struct table table = {.syms = (const unsigned char *)syms, .strings = strings};
	struct error *err = add_table(s, &table, n_syms, strings_len);
	return finish_table(s, err, ret);
}

static void fill_entry(const struct symbols *s, const struct entry *e, struct symbols_entry *ret)
{
	Elf64_Sym sym = sym_of(s, e);
	unsigned type = ELF64_ST_TYPE(sym.st_info);

	*ret = (struct symbols_entry){
		.value = sym.st_value,
		.size = sym.st_size,
		.is_tls = type == STT_TLS,
		.is_function = type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE,
		.name = name_of(s, e),
	};
}

bool symbols_find(const struct symbols *s, const char *name, uint32_t hash, struct symbols_entry *ret)
{
	for (size_t at = hash & (s->cap_index - 1); s->index[at]; at = (at + 1) & (s->cap_index - 1)) {
		const struct entry *e = &s->entries[s->index[at] - 1];

		if (e->hash == hash && !strcmp(name_of(s, e), name)) {
			fill_entry(s, e, ret);
			return true;
		}
	}
	return false;
}

bool symbols_imports(const struct symbols *s)
{
	return s->n_imports;
}

bool symbols_imports_hash(const struct symbols *s, uint32_t hash)
{
	for (size_t i = 0; i < s->n_imports; i++) {
		if (s->imports[i] == hash)
			return true;
	}
	return false;
}

bool symbols_imports_threads(const struct symbols *s)
{
	return s->imports_threads;
}

static int compare_values(const void *a, const void *b, void *arg)
{
	const struct symbols *s = arg;
	const struct entry *x = &s->entries[*(const uint32_t *)a];
	const struct entry *y = &s->entries[*(const uint32_t *)b];

	Elf64_Sym a_sym = sym_of(s, x), b_sym = sym_of(s, y);

	if (a_sym.st_value != b_sym.st_value)
		return a_sym.st_value < b_sym.st_value ? -1 : 1;
	/* Among several names of one address the last one counts: a function, global, with a size. */
	int kind = (ELF64_ST_TYPE(a_sym.st_info) == STT_FUNC) - (ELF64_ST_TYPE(b_sym.st_info) == STT_FUNC);
	if (!kind)
		kind = (a_sym.st_size != 0) - (b_sym.st_size != 0);
	if (!kind)
		kind = (rank_of(s, x) & 3) - (rank_of(s, y) & 3);
	return kind ? kind : -strcmp(name_of(s, x), name_of(s, y));
}

static bool sort_entries(struct symbols *s)
{
	if (s->sorted)
		return true;
	s->sorted = malloc((s->n ? s->n : 1) * sizeof(*s->sorted));
	if (!s->sorted)
		return false;
	for (size_t i = 0; i < s->n; i++) {
		if (ELF64_ST_TYPE(sym_of(s, &s->entries[i]).st_info) != STT_TLS)
			s->sorted[s->n_sorted++] = (uint32_t)i;
	}
	qsort_r(s->sorted, s->n_sorted, sizeof(*s->sorted), compare_values, s);
	return true;
}

/* Return how many of the sorted entries start at @value or below. */
static size_t count_up_to(const struct symbols *s, uint64_t value)
{
	size_t low = 0, high = s->n_sorted;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (value_of(s, &s->entries[s->sorted[mid]]) <= value)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool symbols_at(struct symbols *s, uint64_t value, struct symbols_entry *ret)
{
	if (!sort_entries(s))
		return false;
	size_t n = count_up_to(s, value);
	if (!n)
		return false;
	const struct entry *e = &s->entries[s->sorted[n - 1]];
	/* Assembler labels have no size: they cover the addresses after them. */
	fill_entry(s, e, ret);
	return !ret->size || value - ret->value < ret->size;
}

bool symbols_object_at(struct symbols *s, uint64_t value, struct symbols_entry *ret)
{
	if (!sort_entries(s))
		return false;
	size_t n = count_up_to(s, value);
	/* Labels (__bss_start) and other names may lie between the address and the start of its variable. */
	for (size_t seen = 0; n && seen < MAX_BETWEEN; n--, seen++) {
		const struct entry *e = &s->entries[s->sorted[n - 1]];
		Elf64_Sym sym = sym_of(s, e);
		unsigned type = ELF64_ST_TYPE(sym.st_info);

		if ((type != STT_OBJECT && type != STT_COMMON) || value - sym.st_value >= sym.st_size)
			continue;
		fill_entry(s, e, ret);
		return true;
	}
	return false;
}

size_t symbols_count(const struct symbols *s)
{
	return s->n;
}

void symbols_get(const struct symbols *s, size_t i, struct symbols_entry *ret)
{
	fill_entry(s, &s->entries[i], ret);
}
