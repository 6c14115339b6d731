/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists mapped code, file by file, from /proc/PID/maps, and searches the files. */
#include "target/elf/code_files.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/vector.h"
#include "target/elf/elf_file.h"
#include "target/elf/symbols.h"

/*
 * Larger symbol and string tables are not searched: those of browsers and compilers with debug information take long.
 */
#define MAX_TABLE (32u << 20)

/* The cached result for one file and one symbol. */
struct known {
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime;
	const char *symbol;
	enum code_answer answer;
};

struct code_cache {
	struct known *items;
	size_t n, cap;
};

static bool is_same(const struct proc_map *a, const struct proc_map *b)
{
	return a->inode == b->inode && a->dev_major == b->dev_major && a->dev_minor == b->dev_minor;
}

static struct error *list_files(struct code_files *f)
{
	f->files = malloc((f->maps.n ? f->maps.n : 1) * sizeof(*f->files));
	if (!f->files)
		return &error_nomem;
	for (size_t i = 0; i < f->maps.n && f->n < CODE_FILES_MAX; i++) {
		const struct proc_map *map = &f->maps.maps[i];
		bool is_new = map->exec && map->inode && map->path_len && map->path[0] == '/';

		for (size_t k = f->n; k > 0 && is_new; k--)
			is_new = !is_same(f->files[k - 1], map);
		if (is_new)
			f->files[f->n++] = map;
	}
	return NULL;
}

/* Explain why the mappings could not be read: open them again for the errno. */
static struct error *why_unread(int dirfd)
{
	_cleanup_close_ int fd = openat(dirfd, "maps", O_RDONLY | O_CLOEXEC);

	return fd < 0 && (errno == EACCES || errno == EPERM)
		       ? error_create(ERR_PERMISSION_DENIED, "its mappings may not be read")
		       : error_create(ERR_TARGET_EXITED, "it has exited");
}

struct error *code_files_read(int dirfd, struct code_files *ret)
{
	_cleanup_(code_files_deinit) struct code_files f = {0};
	size_t len, cap = 0;
	struct proc_map map;

	/* Fails also if the process exits meanwhile. */
	struct error *err = proc_read_all(dirfd, "maps", PROC_MAX_MAPS, &f.maps.text, &len);
	if (err && err != &error_nomem) {
		error_destroy(err);
		return why_unread(dirfd);
	}
	const char *at = f.maps.text;
	while (!err && proc_next_map(&at, f.maps.text + len, &map)) {
		/* Keep only code, which few mappings are. */
		if (!map.exec || !map.inode)
			continue;
		if (!VECTOR_GROW(f.maps.maps, f.maps.n, cap))
			return &error_nomem;
		f.maps.maps[f.maps.n++] = map;
	}
	if (!err)
		err = list_files(&f);
	if (err)
		return err;
	*ret = f;
	f = (struct code_files){0};
	return NULL;
}

void code_files_deinit(struct code_files *files)
{
	maps_deinit(&files->maps);
	free(files->files);
	*files = (struct code_files){0};
}

struct code_cache *code_cache_create(void)
{
	return calloc(1, sizeof(struct code_cache));
}

void code_cache_destroy(struct code_cache *cache)
{
	if (cache)
		free(cache->items);
	free(cache);
}

static bool has_large_tables(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) && header.sh_size > MAX_TABLE &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM || header.sh_type == SHT_STRTAB))
			return true;
	}
	return false;
}

/* Return the symbols of @f, or NULL. */
static struct symbols *symbols_of(struct code_file *f)
{
	Elf *elf = f->elf;

	if (!elf)
		return f->symbols;
	f->elf = NULL;
	if (has_large_tables(elf))
		elf_end(elf);
	else
		error_destroy(symbols_create(elf, NULL, &f->symbols));
	return f->symbols;
}

static enum code_answer examine_file(struct code_file *f, const char *symbol)
{
	struct symbols *symbols = symbols_of(f);
	struct symbols_entry entry;

	if (!symbols)
		return CODE_UNKNOWN;
	return symbols_find(symbols, symbol, symbols_hash(symbol), &entry) ? CODE_YES : CODE_NO;
}

static Elf *open_elf(int dirfd, const struct proc_map *file, int *fd_ret)
{
	struct stat st;

	if (!file) {
		int fd = elf_file_open_regular(dirfd, "exe", false, &st);
		Elf *elf = fd >= 0 ? elf_file_begin(fd) : NULL;

		if (fd >= 0 && !elf)
			close(fd);
		*fd_ret = fd;
		return elf;
	}
	_cleanup_free_ char *path = strndup(file->path, file->path_len);
	struct elf_file_identity id = {
		.path = path,
		.name = path,
		.map_start = file->start,
		.map_end = file->end,
		.dev_major = file->dev_major,
		.dev_minor = file->dev_minor,
		.inode = file->inode,
		.build_id = "",
	};
	return path ? elf_file_open(dirfd, &id, fd_ret) : NULL;
}

static void remember_answer(struct code_cache *cache, const struct known *item)
{
	if (!VECTOR_GROW(cache->items, cache->n, cache->cap))
		return;
	cache->items[cache->n++] = *item;
}

void code_file_open(int dirfd, const struct proc_map *file, struct code_file *ret)
{
	struct code_file f = {.fd = -1};

	f.elf = open_elf(dirfd, file, &f.fd);
	f.is_open = f.elf && fstat(f.fd, &f.st) == 0;
	/* The file is already closed. */
	if (!f.elf)
		f.fd = -1;
	*ret = f;
}

void code_file_close(struct code_file *f)
{
	if (f->elf)
		elf_end(f->elf);
	symbols_destroy(f->symbols);
	if (f->fd >= 0)
		close(f->fd);
	*f = (struct code_file){.fd = -1};
}

enum code_answer code_file_defines(struct code_cache *cache, struct code_file *f, const char *symbol)
{
	const struct stat *st = &f->st;

	if (!f->is_open)
		return CODE_UNKNOWN;
	for (size_t i = 0; i < cache->n; i++) {
		const struct known *k = &cache->items[i];

		if (k->symbol == symbol && k->dev == st->st_dev && k->ino == st->st_ino && k->size == st->st_size &&
		    k->mtime.tv_sec == st->st_mtim.tv_sec && k->mtime.tv_nsec == st->st_mtim.tv_nsec)
			return k->answer;
	}
	enum code_answer answer = examine_file(f, symbol);
	remember_answer(cache, &(struct known){st->st_dev, st->st_ino, st->st_size, st->st_mtim, symbol, answer});
	return answer;
}
