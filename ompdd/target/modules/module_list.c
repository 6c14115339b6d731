/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The list of the modules of a process or core; module_symbols.c searches symbols in it. */
#include "target/elf/elf_sections.h"
#include "target/modules/module_list_internal.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/elf/elf_file.h"
#include "target/modules/link_maps.h"
#include "target/proc/proc.h"
#include "target/elf/symbols_shared.h"
#include "target/target_ops.h"
#include "target/modules/tls.h"

#define MAX_PHDRS  512
#define PAGE_START (~(uint64_t)4095)

static void free_module(struct target_module *pub, struct module *mod)
{
	free(pub->path);
	free(pub->compiler);
	free(mod->map_path);
	for (int extent = 0; extent < SYMBOLS_EXTENTS; extent++)
		symbols_destroy(mod->symbols[extent]);
	memset(pub, 0, sizeof(*pub));
	memset(mod, 0, sizeof(*mod));
}

static void free_list(struct target_module *list, struct module *modules, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free_module(&list[i], &modules[i]);
	free(list);
	free(modules);
}

/* Creating the list */

/* Return the mapping of @addr, or NULL; maps are sorted. */
static const struct proc_map *find_map(const struct maps *maps, uint64_t addr)
{
	size_t low = 0, high = maps->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (addr < maps->maps[mid].start)
			high = mid;
		else if (addr >= maps->maps[mid].end)
			low = mid + 1;
		else
			return &maps->maps[mid];
	}
	return NULL;
}

static bool same_file(const struct proc_map *a, const struct proc_map *b)
{
	return a->inode == b->inode && a->dev_major == b->dev_major && a->dev_minor == b->dev_minor && a->inode != 0;
}

/* Return the start of @map's file: the nearest mapping of its offset 0 below. */
static const struct proc_map *find_header(const struct maps *maps, const struct proc_map *map)
{
	for (const struct proc_map *h = map; h >= maps->maps; h--) {
		if (h->offset == 0 && (h == map || same_file(h, map)))
			return h;
	}
	return NULL;
}

static void read_build_id(struct target *t, uint64_t addr, uint64_t len, char *ret)
{
	if (!len || len > ELF_SECTIONS_MAX_NOTES)
		return;
	_cleanup_free_ unsigned char *notes = malloc(len);
	if (notes && target_try_read(t, addr, notes, len))
		elf_sections_parse_build_id(notes, len, ret);
}

/*
 * Read range and build-id from the program headers in memory, which start at @header. Set *@bias if it is unknown (~0).
 */
static bool read_headers(struct target *t, uint64_t header, uint64_t *bias, struct target_module *ret)
{
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdrs[MAX_PHDRS];
	uint64_t low = UINT64_MAX, high = 0;

	if (!target_try_read(t, header, &ehdr, sizeof(ehdr)) || memcmp(ehdr.e_ident, ELFMAG, SELFMAG) ||
	    ehdr.e_ident[EI_CLASS] != ELFCLASS64 || ehdr.e_phentsize != sizeof(Elf64_Phdr) ||
	    ehdr.e_phnum > MAX_PHDRS ||
	    !target_try_read(t, header + ehdr.e_phoff, phdrs, ehdr.e_phnum * sizeof(phdrs[0])))
		return false;
	for (size_t i = 0; i < ehdr.e_phnum; i++) {
		uint64_t end;

		if (phdrs[i].p_type != PT_LOAD || __builtin_add_overflow(phdrs[i].p_vaddr, phdrs[i].p_memsz, &end))
			continue;
		if (phdrs[i].p_vaddr < low)
			low = phdrs[i].p_vaddr;
		if (end > high)
			high = end;
	}
	if (low >= high)
		return false;
	if (*bias == UINT64_MAX)
		*bias = header - (low & PAGE_START);
	ret->start = *bias + (low & PAGE_START);
	ret->end = *bias + ((high + 4095) & PAGE_START);
	for (size_t i = 0; i < ehdr.e_phnum && !ret->build_id[0]; i++) {
		if (phdrs[i].p_type == PT_NOTE)
			read_build_id(t, *bias + phdrs[i].p_vaddr, phdrs[i].p_memsz, ret->build_id);
	}
	return true;
}

static Elf *open_module(struct module_list *m, const struct target_module *pub, const struct module *mod, bool is_exe,
			int *fd_ret)
{
	struct elf_file_identity id = {
		.path = mod->map_path,
		.name = pub->path,
		.map_start = mod->map_start,
		.map_end = mod->map_end,
		.dev_major = mod->dev_major,
		.dev_minor = mod->dev_minor,
		.inode = mod->inode,
		.build_id = pub->build_id,
		.is_exe = is_exe,
	};

	return mod->inode ? m->source->open(m->target, &id, fd_ret) : NULL;
}

struct symbols_file module_list_shared_file(const struct module_list *m, const struct target_module *pub,
					    const struct module *mod)
{
	return (struct symbols_file){
		.dev_major = mod->dev_major,
		.dev_minor = mod->dev_minor,
		.inode = mod->inode,
		.root_dev = m->root_dev,
		.root_inode = m->root_inode,
		.build_id = m->has_root ? pub->build_id : "",
	};
}

static void read_compiler(struct module_list *m, bool is_exe, struct target_module *pub, const struct module *mod)
{
	const struct symbols_file file = module_list_shared_file(m, pub, mod);
	int fd;

	if (symbols_shared_find_compiler(&file, &pub->compiler))
		return;
	Elf *elf = open_module(m, pub, mod, is_exe, &fd);
	if (!elf)
		return;
	pub->compiler = elf_sections_compiler(elf);
	elf_end(elf);
	close(fd);
	symbols_shared_add_compiler(&file, pub->compiler);
}

/* Fill a module with a dynamic section (or any other address) in @map. */
static bool fill_module(struct module_list *m, struct target *t, const struct maps *maps, const struct proc_map *map,
			uint64_t bias, bool is_exe, struct target_module *pub, struct module *mod)
{
	const struct proc_map *header = find_header(maps, map);

	pub->start = map->start;
	pub->end = map->end;
	if (header)
		read_headers(t, header->start, &bias, pub);
	if (bias == UINT64_MAX)
		return false;
	pub->base = bias;
	mod->map_start = map->start;
	mod->map_end = map->end;
	mod->dev_major = map->dev_major;
	mod->dev_minor = map->dev_minor;
	mod->inode = map->inode;
	mod->map_path = strndup(map->path, map->path_len);
	if (!mod->map_path)
		return false;
	read_compiler(m, is_exe, pub, mod);
	return true;
}

/* Allocate both lists for @cap modules; return false when memory is exhausted. */
static bool alloc_lists(size_t cap, struct target_module **list_ret, struct module **modules_ret)
{
	struct target_module *list = calloc(cap ? cap : 1, sizeof(*list));
	struct module *modules = calloc(cap ? cap : 1, sizeof(*modules));

	if (!list || !modules) {
		free(list);
		free(modules);
		return false;
	}
	*list_ret = list;
	*modules_ret = modules;
	return true;
}

static struct error *list_from_links(struct module_list *m, struct target *t, const struct maps *maps,
				     const struct link_maps_entry *links, size_t n)
{
	struct target_module *list;
	struct module *modules;
	size_t k = 0;

	if (!alloc_lists(n, &list, &modules))
		return &error_nomem;
	for (size_t i = 0; i < n; i++) {
		const struct proc_map *map = find_map(maps, links[i].dynamic);
		char name[TARGET_MAX_STRING];

		/* The list and the maps are read at different times: a module may have been loaded or unloaded. */
		if (!map)
			continue;
		struct error *err = target_read_string(t, links[i].name, name, sizeof(name));
		if (err || !name[0])
			snprintf(name, sizeof(name), "%.*s", i == 0 ? INT_MAX : (int)map->path_len,
				 i == 0 ? target_exe(t) : map->path);
		error_destroy(err);
		list[k].path = strdup(name);
		if (!list[k].path || !fill_module(m, t, maps, map, links[i].bias, i == 0, &list[k], &modules[k])) {
			free_module(&list[k], &modules[k]);
			continue;
		}
		modules[k++].link = links[i];
	}
	m->list = list;
	m->modules = modules;
	m->n = k;
	return NULL;
}

/* Without the dynamic linker's list: use each file that is mapped from its start and executable somewhere. */
static struct error *list_from_maps(struct module_list *m, struct target *t, const struct maps *maps)
{
	size_t cap = maps->n < MODULES_MAX ? maps->n : MODULES_MAX;
	struct target_module *list;
	struct module *modules;
	size_t k = 0;

	if (!alloc_lists(cap, &list, &modules))
		return &error_nomem;
	for (size_t i = 0; i < maps->n && k < cap; i++) {
		const struct proc_map *map = &maps->maps[i];
		bool is_vdso = map->start == m->auxv->vdso;
		bool has_code = is_vdso;

		if (map->offset || (!map->inode && !is_vdso))
			continue;
		for (size_t j = i; j < maps->n && same_file(&maps->maps[j], map); j++)
			has_code |= maps->maps[j].exec;
		if (!has_code)
			continue;
		list[k].path = strndup(map->path, map->path_len);
		if (list[k].path && fill_module(m, t, maps, map, UINT64_MAX, k == 0, &list[k], &modules[k]))
			k++;
		else
			free_module(&list[k], &modules[k]);
	}
	m->list = list;
	m->modules = modules;
	m->n = k;
	return NULL;
}

/* Move the loaded symbol tables to the new list. */
static void keep_symbols(struct module_list *m, struct target_module *old_list, struct module *old, size_t n)
{
	for (size_t i = 0; i < m->n; i++) {
		for (size_t j = 0; j < n; j++) {
			if (old[j].inode != m->modules[i].inode || old_list[j].base != m->list[i].base ||
			    strcmp(old_list[j].build_id, m->list[i].build_id) ||
			    old[j].map_start != m->modules[i].map_start)
				continue;
			for (int extent = 0; extent < SYMBOLS_EXTENTS; extent++) {
				m->modules[i].symbols[extent] = old[j].symbols[extent];
				m->modules[i].symbols_tried[extent] = old[j].symbols[extent];
				old[j].symbols[extent] = NULL;
			}
			break;
		}
	}
}

static bool same_links(const struct module_list *m, const struct link_maps_entry *links, size_t n)
{
	if (!n || n != m->n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (memcmp(&m->modules[i].link, &links[i], sizeof(links[i])))
			return false;
	}
	return true;
}

static struct error *refresh_list(struct module_list *m, struct target *t)
{
	_cleanup_free_ struct link_maps_entry *links = malloc(MODULES_MAX * sizeof(*links));
	_cleanup_(maps_deinit) struct maps maps = {0};

	if (!links)
		return &error_nomem;
	bool whole;
	size_t n = link_maps_list(t, m->auxv, &m->r_debug, links, MODULES_MAX, &whole);
	/* A core may lack a part of the list, but has all mapped files. */
	if (!whole && t->mode == TARGET_CORE)
		n = 0;
	if (m->list && same_links(m, links, n))
		return NULL;
	/* The mappings are known of the running process only. */
	if (t->has_copy)
		return target_not_copied(t);
	struct error *err = m->source->read_maps(t, &maps);
	if (err)
		return err;
	struct target_module *old_list = m->list;
	struct module *old = m->modules;
	size_t n_old = m->n;
	err = n ? list_from_links(m, t, &maps, links, n) : list_from_maps(m, t, &maps);
	if (err)
		return err;
	keep_symbols(m, old_list, old, n_old);
	free_list(old_list, old, n_old);
	return NULL;
}

struct error *module_list_get(struct module_list *m, struct target *t, const struct target_module **ret, size_t *n_ret)
{
	if (m->view != t->view) {
		struct error *err = refresh_list(m, t);

		if (err)
			return err;
		m->view = t->view;
	}
	*ret = m->list;
	*n_ret = m->n;
	return NULL;
}

static struct error *list_modules(struct modules *m, struct target *t, const struct target_module **ret, size_t *n_ret)
{
	return module_list_get(module_list_of(m), t, ret, n_ret);
}

static struct error *find_tls(struct modules *base, struct target *t, const struct target_thread *thread,
			      const struct target_symbol *sym, uint64_t *ret)
{
	struct module_list *m = module_list_of(base);
	bool is_listed = m->n && sym->module >= m->list && sym->module < m->list + m->n;

	return tls_address(m->tls, t, thread, sym, is_listed ? m->modules[sym->module - m->list].link.address : 0, ret);
}

void module_list_fill_pthreads(struct target *t)
{
	tls_reader_fill_pthreads(module_list_of(t->modules)->tls, t);
}

Elf *module_list_open(struct modules *base, const struct target_module *module, bool debug, int *fd_ret)
{
	struct module_list *m = module_list_of(base);
	int fd = -1;

	if (!m->n || module < m->list || module >= m->list + m->n)
		return NULL;
	size_t i = (size_t)(module - m->list);
	Elf *elf = open_module(m, module, &m->modules[i], i == 0, &fd);
	if (!elf || !debug) {
		*fd_ret = fd;
		return elf;
	}
	Elf *found = m->source->open_debug(m->target, elf, m->modules[i].map_path, module->build_id, fd_ret);
	elf_end(elf);
	close(fd);
	return found;
}

/* Creation and end */

static const struct modules_ops list_ops = {
	.list = list_modules,
	.open = module_list_open,
	.symbol = module_symbols_find,
	.symbol_at = module_symbols_at,
	.symbols = module_symbols_of,
	.tls_address = find_tls,
};

struct error *module_list_create(struct target *t, const struct module_source *source, const struct process_auxv *auxv,
				 struct modules **ret)
{
	struct module_list *m = calloc(1, sizeof(*m));
	struct error *err = m ? tls_reader_create(&m->tls) : &error_nomem;

	if (err) {
		free(m);
		return err;
	}
	m->base.ops = &list_ops;
	m->target = t;
	m->source = source;
	m->auxv = auxv;
	m->view = UINT64_MAX;
	m->has_root = source->root && source->root(t, &m->root_dev, &m->root_inode);
	*ret = &m->base;
	return NULL;
}

void module_list_destroy(struct modules *base)
{
	struct module_list *m = module_list_of(base);

	if (!m)
		return;
	tls_reader_destroy(m->tls);
	free_list(m->list, m->modules, m->n);
	free(m);
}
