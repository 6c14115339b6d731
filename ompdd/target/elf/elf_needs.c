/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Predicts what the dynamic linker would do with a library. */
#include "target/elf/elf_needs.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

#define MAX_SEGMENTS 128
#define MAX_DYNAMIC  (64u << 10)
#define MAX_STRINGS  (16u << 20)
#define MAX_SYMBOLS  (1u << 20)

struct reader {
	int fd;
	Elf64_Phdr segments[MAX_SEGMENTS];
	size_t n_segments;
	char *strings; /* strings_len bytes; the last one is a NUL */
	size_t strings_len;
};

static bool read_at(int fd, void *to, size_t len, uint64_t at)
{
	char *p = to;

	while (len) {
		ssize_t n = at > INT64_MAX ? -1 : pread(fd, p, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
		at += (uint64_t)n;
	}
	return true;
}

static bool read_segments(struct reader *r)
{
	static const unsigned char order = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
	Elf64_Ehdr e;

	if (!read_at(r->fd, &e, sizeof(e), 0) || memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 ||
	    e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_ident[EI_DATA] != order || e.e_type != ET_DYN ||
	    e.e_phentsize != sizeof(r->segments[0]) || e.e_phnum > MAX_SEGMENTS)
		return false;
	r->n_segments = e.e_phnum;
	return read_at(r->fd, r->segments, r->n_segments * sizeof(r->segments[0]), e.e_phoff);
}

static const Elf64_Phdr *find_segment(const struct reader *r, uint32_t type)
{
	for (size_t i = 0; i < r->n_segments; i++) {
		if (r->segments[i].p_type == type)
			return &r->segments[i];
	}
	return NULL;
}

/* Find the file position of @address, and how many bytes of its segment follow. */
static bool place_of(const struct reader *r, uint64_t address, uint64_t *ret, uint64_t *len_ret)
{
	for (size_t i = 0; i < r->n_segments; i++) {
		const Elf64_Phdr *p = &r->segments[i];
		uint64_t at = address - p->p_vaddr;

		if (p->p_type != PT_LOAD || address < p->p_vaddr || at >= p->p_filesz)
			continue;
		*len_ret = p->p_filesz - at;
		return !__builtin_add_overflow(p->p_offset, at, ret);
	}
	return false;
}

static bool offset_of(const struct reader *r, uint64_t address, uint64_t len, uint64_t *ret)
{
	uint64_t left;

	return place_of(r, address, ret, &left) && len <= left;
}

/* Return the string at @offset of the table, or NULL. */
static const char *string_at(const struct reader *r, uint64_t offset)
{
	return offset < r->strings_len ? r->strings + offset : NULL;
}

static bool read_strings(struct reader *r, uint64_t address, uint64_t len)
{
	uint64_t offset;

	if (!len || len > MAX_STRINGS || !offset_of(r, address, len, &offset))
		return false;
	r->strings = malloc(len);
	if (!r->strings || !read_at(r->fd, r->strings, len, offset) || r->strings[len - 1])
		return false;
	r->strings_len = len;
	return true;
}

/*
 * Return whether the library defines @name. No entry has the number of symbols, so bytes after the table, up to the
 * strings or the segment's end, are searched too: a false match there does no harm.
 */
static bool defines_symbol(const struct reader *r, uint64_t symbols, uint64_t strings, const char *name)
{
	uint64_t offset, len;

	if (!place_of(r, symbols, &offset, &len))
		return false;
	if (strings > symbols && strings - symbols < len)
		len = strings - symbols;
	uint64_t n = len / sizeof(Elf64_Sym);
	if (!n || n > MAX_SYMBOLS)
		return false;
	_cleanup_free_ Elf64_Sym *all = malloc(n * sizeof(*all));
	if (!all || !read_at(r->fd, all, n * sizeof(*all), offset))
		return false;
	for (uint64_t i = 1; i < n; i++) {
		const char *s = string_at(r, all[i].st_name);

		if (s && all[i].st_shndx != SHN_UNDEF && !strcmp(s, name))
			return true;
	}
	return false;
}

static bool copy_string(const struct reader *r, uint64_t offset, char **ret)
{
	const char *s = string_at(r, offset);

	if (!s || *ret || strlen(s) >= PATH_MAX * 4)
		return false;
	*ret = strdup(s);
	return *ret != NULL;
}

/* Where the linker uses the last of several entries, this code requires a single one. */
static bool take_entries(const struct reader *r, const Elf64_Dyn *d, size_t n, struct elf_needs *ret)
{
	for (size_t i = 0; i < n && d[i].d_tag != DT_NULL; i++) {
		switch (d[i].d_tag) {
		case DT_NEEDED:
		case DT_FILTER:
		case DT_AUXILIARY:
			if (ret->n_names == ELF_NEEDS_MAX_NAMES ||
			    !copy_string(r, d[i].d_un.d_val, &ret->names[ret->n_names]))
				return false;
			ret->n_names++;
			break;
		case DT_RPATH:
			if (!copy_string(r, d[i].d_un.d_val, &ret->rpath))
				return false;
			break;
		case DT_RUNPATH:
			if (!copy_string(r, d[i].d_un.d_val, &ret->runpath))
				return false;
			break;
		default:
			break;
		}
	}
	return true;
}

static uint64_t value_of(const Elf64_Dyn *d, size_t n, int64_t tag)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n && d[i].d_tag != DT_NULL; i++)
		value = d[i].d_tag == tag ? d[i].d_un.d_val : value;
	return value;
}

static bool read_all(struct reader *r, const char *symbol, struct elf_needs *ret)
{
	if (!read_segments(r))
		return false;
	const Elf64_Phdr *p = find_segment(r, PT_DYNAMIC);
	uint64_t offset;
	/* Found by its address, like the linker. */
	if (!p || !p->p_memsz || p->p_memsz > MAX_DYNAMIC || !offset_of(r, p->p_vaddr, p->p_memsz, &offset))
		return false;
	size_t n = p->p_memsz / sizeof(Elf64_Dyn);
	_cleanup_free_ Elf64_Dyn *d = malloc(p->p_memsz);
	if (!d || !read_at(r->fd, d, n * sizeof(*d), offset))
		return false;
	uint64_t strings = value_of(d, n, DT_STRTAB);
	if (!read_strings(r, strings, value_of(d, n, DT_STRSZ)) || !take_entries(r, d, n, ret))
		return false;
	ret->has_symbol = symbol && defines_symbol(r, value_of(d, n, DT_SYMTAB), strings, symbol);
	return true;
}

bool elf_needs_read(int fd, const char *symbol, struct elf_needs *ret)
{
	struct reader r = {.fd = fd};

	*ret = (struct elf_needs){.n_names = 0};
	bool done = read_all(&r, symbol, ret);
	free(r.strings);
	if (!done)
		elf_needs_deinit(ret);
	return done;
}

void elf_needs_deinit(struct elf_needs *n)
{
	for (size_t i = 0; i < n->n_names; i++)
		free(n->names[i]);
	free(n->rpath);
	free(n->runpath);
	*n = (struct elf_needs){.n_names = 0};
}
