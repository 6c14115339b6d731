/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds and checks files for core.c, which reads them, and for modules.c, which searches their symbols. */
#include "target/core/core_files.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "target/arch/arch.h"
#include "target/elf/elf_sections.h"
#include "target/elf/symbols.h"

/* The largest number of open files: a core can name any number. */
#define MAX_OPEN  512
#define MAX_PHDRS 512
#define PAGE	  ((uint64_t)4096)
#define NO_HEADER UINT64_MAX
#define DELETED	  " (deleted)"
#define DEBUG_DIR "/usr/lib/debug"

/* Build-ids, from the core's own memory */

/* Return whether the core itself, not a file, has these bytes. */
static bool read_core(const struct core_files *f, uint64_t addr, void *buf, size_t len)
{
	unsigned char *to = buf;

	while (len) {
		size_t n = len;
		uint64_t offset;

		if (core_memory_locate(f->memory, addr, &n, &offset) != CORE_IN_FILE)
			return false;
		ssize_t got = pread(f->corefd, to, n, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		to += got;
		addr += (uint64_t)got;
		len -= (size_t)got;
	}
	return true;
}

static void read_build_id(const struct core_files *f, uint64_t header, char *ret)
{
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	uint64_t low = UINT64_MAX;

	if (header == NO_HEADER || !read_core(f, header, &ehdr, sizeof(ehdr)) ||
	    memcmp(ehdr.e_ident, ELFMAG, SELFMAG) || ehdr.e_ident[EI_CLASS] != ELFCLASS64 ||
	    ehdr.e_phentsize != sizeof(phdr))
		return;
	for (size_t i = 0; i < ehdr.e_phnum && i < MAX_PHDRS && !ret[0]; i++) {
		if (!read_core(f, header + ehdr.e_phoff + i * sizeof(phdr), &phdr, sizeof(phdr)))
			return;
		if (phdr.p_type == PT_LOAD && low == UINT64_MAX)
			low = phdr.p_vaddr & ~(PAGE - 1);
	}
	for (size_t i = 0; i < ehdr.e_phnum && i < MAX_PHDRS && !ret[0]; i++) {
		if (!read_core(f, header + ehdr.e_phoff + i * sizeof(phdr), &phdr, sizeof(phdr)))
			return;
		if (phdr.p_type != PT_NOTE || !phdr.p_filesz || phdr.p_filesz > ELF_SECTIONS_MAX_NOTES)
			continue;
		_cleanup_free_ unsigned char *notes = malloc(phdr.p_filesz);
		if (notes && read_core(f, header - low + phdr.p_vaddr, notes, phdr.p_filesz))
			elf_sections_parse_build_id(notes, phdr.p_filesz, ret);
	}
}

/* The table of files */

static int compare_paths(const void *pa, const void *pb, void *arg)
{
	const struct core_map *maps = arg;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	int order = strcmp(maps[a].path, maps[b].path);

	return order ? order : (a > b) - (a < b);
}

static struct error *make_table(struct core_files *f)
{
	const struct core_notes *notes = f->notes;
	size_t n = notes->n_maps;
	_cleanup_free_ uint32_t *sorted = malloc((n ? n : 1) * sizeof(*sorted));

	f->files = calloc(n ? n : 1, sizeof(*f->files));
	f->of_map = calloc(n ? n : 1, sizeof(*f->of_map));
	if (!sorted || !f->files || !f->of_map)
		return &error_nomem;
	for (size_t i = 0; i < n; i++)
		sorted[i] = (uint32_t)i;
	if (n)
		qsort_r(sorted, n, sizeof(*sorted), compare_paths, notes->maps);
	for (size_t i = 0; i < n; i++) {
		const struct core_map *map = &notes->maps[sorted[i]];

		if (!f->n || strcmp(f->files[f->n - 1].path, map->path))
			f->files[f->n++] = (struct core_file){.path = map->path, .header = NO_HEADER, .fd = -1};
		struct core_file *file = &f->files[f->n - 1];
		if (!map->offset && file->header == NO_HEADER)
			file->header = map->start;
		f->of_map[sorted[i]] = (uint32_t)(f->n - 1);
	}
	return NULL;
}

struct error *core_files_init(struct core_files *f, int corefd, const struct core_memory *memory,
			      const struct core_notes *notes, const struct core_places *places)
{
	memset(f, 0, sizeof(*f));
	f->corefd = corefd;
	f->memory = memory;
	f->notes = notes;
	f->places = *places;
	f->sysrootfd = -1;
	struct error *err = make_table(f);
	if (err)
		return err;
	if (places->sysroot) {
		f->sysrootfd = open(places->sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (f->sysrootfd < 0)
			return error_detail(error_create(ERR_CORE_FILE_MISSING, "the sysroot %s: %s", places->sysroot,
							 strerror(errno)),
					    "path", "%s", places->sysroot);
	}
	const struct core_map *map = core_notes_map(notes, notes->auxv.phdr);
	if (map && notes->auxv.phdr)
		f->exe = &f->files[f->of_map[map - notes->maps]];
	return NULL;
}

void core_files_deinit(struct core_files *f)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->files[i].fd >= 0)
			close(f->files[i].fd);
		free(f->files[i].where);
		free(f->files[i].loads);
	}
	free(f->files);
	free(f->of_map);
	if (f->sysrootfd >= 0)
		close(f->sysrootfd);
	memset(f, 0, sizeof(*f));
	f->sysrootfd = -1;
}

static int compare_with_file(const void *path, const void *file)
{
	return strcmp(path, ((const struct core_file *)file)->path);
}

struct core_file *core_files_find(struct core_files *f, const char *path)
{
	return f->n ? bsearch(path, f->files, f->n, sizeof(*f->files), compare_with_file) : NULL;
}

/* Searching a file */

static void read_loads(Elf *elf, struct core_file *file)
{
	size_t n;

	if (elf_getphdrnum(elf, &n) || n > MAX_PHDRS)
		return;
	file->loads = calloc(n ? n : 1, sizeof(*file->loads));
	for (size_t i = 0; i < n && file->loads; i++) {
		GElf_Phdr *phdr = &file->loads[file->n_loads];

		if (gelf_getphdr(elf, (int)i, phdr) && phdr->p_type == PT_LOAD)
			file->n_loads++;
	}
}

/* Accept @fd as @file if it is the mapped file; store the result in @file. */
static bool try_fd(struct core_files *f, struct core_file *file, int fd TAKES, const struct stat *st, const char *where)
{
	char build_id[41] = "";

	if (fd < 0)
		return false;
	Elf *elf = elf_file_begin(fd);
	const char *ident = elf ? elf_getident(elf, NULL) : NULL;
	GElf_Ehdr ehdr;
	/* The file at the same path may be for this machine's processor. */
	bool is_elf = ident && ident[EI_CLASS] == ELFCLASS64 && ident[EI_DATA] == ELFDATA2LSB &&
		      gelf_getehdr(elf, &ehdr) && ehdr.e_machine == arch->elf_machine;
	if (is_elf)
		elf_sections_build_id(elf, build_id);
	bool same = is_elf && (!file->wanted[0] || !strcmp(build_id, file->wanted));
	if (same)
		read_loads(elf, file);
	elf_end(elf);
	if (same || !file->where) {
		free(file->where);
		file->where = strdup(where);
		snprintf(file->found, sizeof(file->found), "%s", build_id);
	}
	if (!same) {
		close(fd);
		file->state = CORE_FILE_MISMATCH;
		return false;
	}
	file->state = file->wanted[0] ? CORE_FILE_OK : CORE_FILE_UNVERIFIED;
	file->fd = fd;
	file->size = (uint64_t)st->st_size;
	f->n_open++;
	return true;
}

static bool try_path(struct core_files *f, struct core_file *file, const char *path)
{
	struct stat st;

	return path[0] == '/' && try_fd(f, file, elf_file_open_regular(AT_FDCWD, path, false, &st), &st, path);
}

static bool try_sysroot(struct core_files *f, struct core_file *file, const char *path)
{
	char where[PATH_MAX];
	struct stat st;

	if (f->sysrootfd < 0 || path[0] != '/' ||
	    snprintf(where, sizeof(where), "%s%s", f->places.sysroot, path) >= (int)sizeof(where))
		return false;
	return try_fd(f, file, elf_file_open_regular(f->sysrootfd, path, true, &st), &st, where);
}

static bool try_build_id(struct core_files *f, struct core_file *file, const char *dir)
{
	char path[PATH_MAX];
	struct stat st;
	int n = snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s", dir, file->wanted, file->wanted + 2);

	return n > 0 && n < (int)sizeof(path) &&
	       try_fd(f, file, elf_file_open_regular(AT_FDCWD, path, false, &st), &st, path);
}

static bool find_file(struct core_files *f, struct core_file *file)
{
	char path[PATH_MAX];
	size_t len = strlen(file->path), deleted = strlen(DELETED);

	if (file == f->exe && f->places.exe)
		return try_path(f, file, f->places.exe);
	/* The kernel appends this if the file was removed or replaced before the dump. */
	if (len > deleted && !strcmp(file->path + len - deleted, DELETED))
		len -= deleted;
	if (len >= sizeof(path))
		return false;
	memcpy(path, file->path, len);
	path[len] = '\0';
	if (try_sysroot(f, file, path) || (file->name && try_sysroot(f, file, file->name)))
		return true;
	/*
	 * With a sysroot the core is from another machine: a file at the same path here must have the right build-id.
	 */
	if ((f->sysrootfd < 0 || file->wanted[0]) && try_path(f, file, path))
		return true;
	if (strlen(file->wanted) <= 2)
		return false;
	for (size_t i = 0; i < f->places.n_debug_dirs; i++) {
		if (try_build_id(f, file, f->places.debug_dirs[i]))
			return true;
	}
	return try_build_id(f, file, DEBUG_DIR);
}

void core_file_need(struct core_files *f, struct core_file *file)
{
	if (file->state != CORE_FILE_UNTRIED)
		return;
	file->state = CORE_FILE_MISSING;
	if (f->n_open == MAX_OPEN)
		return;
	read_build_id(f, file->header, file->wanted);
	find_file(f, file);
}

struct error *core_file_problem(const struct core_file *file)
{
	struct error *err;

	if (file->state == CORE_FILE_MISMATCH) {
		const char *where = file->where ? file->where : file->path;
		bool elsewhere = strcmp(where, file->path) != 0;

		err = error_create(ERR_CORE_FILE_MISMATCH,
				   "%s is not the file that the core had mapped%s%s: its build-id is %s, not %s", where,
				   elsewhere ? " as " : "", elsewhere ? file->path : "",
				   file->found[0] ? file->found : "none", file->wanted);
		error_detail(err, "path", "%s", where);
		error_detail(err, "wanted_build_id", "%s", file->wanted);
		return error_detail(err, "found_build_id", "%s", file->found);
	}
	if (file->state != CORE_FILE_MISSING)
		return NULL;
	err = error_create(ERR_CORE_FILE_MISSING, "%s, which the core had mapped, is not here%s%s", file->path,
			   file->wanted[0] ? ": its build-id is " : "", file->wanted);
	error_detail(err, "path", "%s", file->path);
	return error_detail(err, "wanted_build_id", "%s", file->wanted);
}

static uint64_t load_start(const GElf_Phdr *load)
{
	return load->p_vaddr & ~(PAGE - 1);
}

static uint64_t load_end(const GElf_Phdr *load)
{
	return (load->p_vaddr + load->p_memsz + PAGE - 1) & ~(PAGE - 1);
}

/* Return the address of the first byte of @map's file in memory; NO_HEADER if that part is not mapped. */
static uint64_t header_of(const struct core_files *f, const struct core_map *map)
{
	const struct core_map *maps = f->notes->maps;
	size_t i = (size_t)(map - maps);
	uint32_t file = f->of_map[i];

	for (; maps[i].offset; i--) {
		if (!i || f->of_map[i - 1] != file)
			return NO_HEADER;
	}
	return maps[i].start;
}

/*
 * Return how many bytes from @addr on cannot have changed, by the program headers of @file. The part that is read-only
 * after relocation (RELRO) counts as writable: it differs from the file.
 */
static uint64_t constant_bytes(const struct core_files *f, const struct core_file *file, const struct core_map *map,
			       uint64_t addr)
{
	const struct core_segment *s = core_memory_segment(f->memory, addr);
	uint64_t header = header_of(f, map), end = 0;

	if (header == NO_HEADER || !file->n_loads || (s && s->flags & PF_W))
		return 0;
	uint64_t at = addr - header + (file->loads[0].p_vaddr & ~(PAGE - 1));

	for (size_t i = 0; i < file->n_loads; i++) {
		const GElf_Phdr *load = &file->loads[i];

		if (!(load->p_flags & PF_W) && load_start(load) <= at && at < load_end(load))
			end = load_end(load);
	}
	for (size_t i = 0; i < file->n_loads; i++) {
		const GElf_Phdr *load = &file->loads[i];

		if (load->p_flags & PF_W && at < load_end(load) && load_start(load) < end)
			end = load_start(load) > at ? load_start(load) : at;
	}
	return end > at ? end - at : 0;
}

size_t core_files_read(struct core_files *f, uint64_t addr, void *buf, size_t len)
{
	const struct core_map *map = core_notes_map(f->notes, addr);

	if (!map)
		return 0;
	struct core_file *file = &f->files[f->of_map[map - f->notes->maps]];
	core_file_need(f, file);
	if (file->fd < 0)
		return 0;
	uint64_t offset = map->offset + (addr - map->start);
	uint64_t constant = constant_bytes(f, file, map, addr);
	if (len > map->end - addr)
		len = (size_t)(map->end - addr);
	if (len > constant)
		len = (size_t)constant;
	/* The last page is padded with zeroes; no bytes follow it. */
	uint64_t last = (file->size + PAGE - 1) & ~(PAGE - 1);
	if (!len || offset >= last)
		return 0;
	if (len > last - offset)
		len = (size_t)(last - offset);
	memset(buf, 0, len);
	size_t want = offset < file->size ? (size_t)(file->size - offset) : 0;
	if (want > len)
		want = len;
	size_t done = 0;
	while (done < want) {
		ssize_t n = pread(file->fd, (char *)buf + done, want - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		/* The file was truncated meanwhile. */
		if (n <= 0)
			return done;
		done += (size_t)n;
	}
	return len;
}

/* The mappings for modules.c */

/* gdb omits mappings that it does not write: their flags are unknown. */
static uint32_t flags_at(const struct core_files *f, uint64_t addr)
{
	const struct core_segment *s = core_memory_segment(f->memory, addr);

	return s ? s->flags : PF_R | PF_X;
}

static int compare_proc_maps(const void *pa, const void *pb)
{
	const struct proc_map *a = pa, *b = pb;

	return (a->start > b->start) - (a->start < b->start);
}

static struct proc_map map_of_segment(const struct core_files *f, const struct core_segment *s)
{
	char magic[SELFMAG];
	bool is_elf = read_core(f, s->start, magic, sizeof(magic)) && !memcmp(magic, ELFMAG, SELFMAG);

	return (struct proc_map){
		.start = s->start,
		.end = s->end,
		.offset = is_elf ? 0 : PAGE, /* the vdso starts here; other memory is not the start of a file */
		.read = s->flags & PF_R,
		.write = s->flags & PF_W,
		.exec = s->flags & PF_X,
		.path = "",
	};
}

struct error *core_files_maps(const struct core_files *f, struct maps *ret)
{
	const struct core_notes *notes = f->notes;
	size_t cap = notes->n_maps + f->memory->n;
	struct maps maps = {.maps = calloc(cap ? cap : 1, sizeof(*maps.maps))};

	if (!maps.maps)
		return &error_nomem;
	for (size_t i = 0; i < notes->n_maps; i++) {
		const struct core_map *map = &notes->maps[i];
		uint32_t flags = flags_at(f, map->start);

		maps.maps[maps.n++] = (struct proc_map){
			.start = map->start,
			.end = map->end,
			.offset = map->offset,
			.inode = f->of_map[i] + 1,
			.read = flags & PF_R,
			.write = flags & PF_W,
			.exec = flags & PF_X,
			.path = map->path,
			.path_len = strlen(map->path),
		};
	}
	/* Segments without a file may start with an ELF header too: check their first bytes. */
	for (size_t i = 0; i < f->memory->n; i++) {
		const struct core_segment *s = &f->memory->segments[i];

		if (!core_notes_map(notes, s->start) && !core_notes_map(notes, s->end - 1))
			maps.maps[maps.n++] = map_of_segment(f, s);
	}
	qsort(maps.maps, maps.n, sizeof(*maps.maps), compare_proc_maps);
	*ret = maps;
	return NULL;
}
