/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Searches symbols in modules. Each module has two tables, created on first use: a small one of its exported symbols,
 * and a complete one.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "target/modules/memory_symbols.h"
#include "target/modules/module_list_internal.h"
#include "target/target_ops.h"

static struct error *load_all(struct module_list *m, struct target *t, size_t i, Elf *elf TAKES, struct symbols **ret)
{
	int debug_fd = -1;
	Elf *debug = symbols_has_symtab(elf)
			     ? NULL
			     : m->source->open_debug(t, elf, m->modules[i].map_path, m->list[i].build_id, &debug_fd);
	struct error *err = symbols_create(elf, debug, ret);

	if (debug_fd >= 0)
		close(debug_fd);
	return err;
}

static struct error *load_symbols(struct module_list *m, struct target *t, size_t i, enum symbols_extent extent,
				  struct symbols **ret)
{
	struct module *mod = &m->modules[i];
	struct target_module *pub = &m->list[i];
	const struct symbols_file file = module_list_shared_file(m, pub, mod);
	int fd = -1;

	*ret = symbols_shared_find(&file, extent);
	if (*ret)
		return NULL;
	Elf *elf = module_list_open(&m->base, pub, false, &fd);
	if (!elf) {
		/* Memory has the exported symbols only. */
		if (extent == SYMBOLS_EXPORTED || !mod->symbols[SYMBOLS_EXPORTED])
			return memory_symbols_create(t, pub->base, mod->link.dynamic, pub->start, ret);
		*ret = symbols_ref(mod->symbols[SYMBOLS_EXPORTED]);
		return NULL;
	}
	struct error *err = extent == SYMBOLS_ALL ? load_all(m, t, i, elf, ret) : symbols_create_exported(elf, ret);
	if (!err)
		symbols_shared_add(&file, extent, *ret);
	close(fd);
	return err;
}

static struct symbols *need_symbols(struct module_list *m, struct target *t, size_t i, enum symbols_extent extent)
{
	struct module *mod = &m->modules[i];

	if (mod->symbols_tried[extent])
		return mod->symbols[extent];
	mod->symbols_tried[extent] = true;
	struct error *err = load_symbols(m, t, i, extent, &mod->symbols[extent]);
	/* A temporary failure, not the file's: retry later. */
	if (error_is(err, ERR_STOP_TIMEOUT) || error_is(err, ERR_INTERNAL_ERROR))
		mod->symbols_tried[extent] = false;
	/* A module without symbols is not an error: the name is not found there. */
	error_destroy(err);
	return mod->symbols[extent];
}

static bool matches_file(const char *path, const char *file_name)
{
	return !file_name || !strncmp(path_file_name(path), file_name, strlen(file_name));
}

/* A name, and where it can be. */
struct wanted {
	const char *name;
	uint32_t hash;
	bool is_of_runtime; /* OpenMP's: a module that starts no threads does not have it */
};

/*
 * Find an entry. Most requested names are exported: their search does not read the complete table, which may be large.
 */
static bool find_entry(struct module_list *m, struct target *t, size_t i, const struct wanted *wanted,
		       struct symbols_entry *ret)
{
	struct symbols *symbols;

	if (!m->modules[i].symbols_tried[SYMBOLS_ALL]) {
		symbols = need_symbols(m, t, i, SYMBOLS_EXPORTED);
		if (symbols && symbols_find(symbols, wanted->name, wanted->hash, ret))
			return true;
		/* The executable may contain the code that starts threads itself. */
		if (wanted->is_of_runtime && i > 0 && symbols && !symbols_imports_threads(symbols))
			return false;
	}
	symbols = need_symbols(m, t, i, SYMBOLS_ALL);
	return symbols && symbols_find(symbols, wanted->name, wanted->hash, ret);
}

static bool find_in(struct module_list *m, struct target *t, size_t i, const struct wanted *wanted,
		    struct target_symbol *ret)
{
	const struct target_module *module = &m->list[i];
	struct symbols_entry entry;

	if (!find_entry(m, t, i, wanted, &entry))
		return false;
	*ret = (struct target_symbol){
		.address = entry.is_tls ? entry.value : module->base + entry.value,
		.size = entry.size,
		.is_tls = entry.is_tls,
		.module = module,
	};
	return true;
}

static struct error *find_symbol(struct module_list *m, struct target *t, const struct wanted *wanted,
				 const char *file_name, struct target_symbol *ret)
{
	const struct target_module *list;
	size_t n, first;
	struct error *err = module_list_get(m, t, &list, &n);

	if (err)
		return err;
	for (first = 0; first < n; first++) {
		if (t->preferred >= list[first].start && t->preferred < list[first].end)
			break;
	}
	if (first < n && find_in(m, t, first, wanted, ret))
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (i != first && matches_file(list[i].path, file_name) && find_in(m, t, i, wanted, ret))
			return NULL;
	}
	return error_detail(error_create(ERR_SYMBOL_NOT_FOUND, "the process has no symbol %s", wanted->name), "symbol",
			    "%s", wanted->name);
}

struct error *module_symbols_find(struct modules *m, struct target *t, const char *name, const char *file_name,
				  bool is_of_runtime, struct target_symbol *ret)
{
	return find_symbol(module_list_of(m), t, &(struct wanted){name, symbols_hash(name), is_of_runtime}, file_name,
			   ret);
}

bool module_symbols_at(struct modules *base, struct target *t, uint64_t addr, char *name, size_t size,
		       uint64_t *offset_ret)
{
	struct module_list *m = module_list_of(base);
	const struct target_module *list;
	size_t n;
	struct symbols_entry entry;
	struct error *err = module_list_get(m, t, &list, &n);

	if (err) {
		error_destroy(err);
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		if (addr < list[i].start || addr >= list[i].end)
			continue;
		struct symbols *symbols = need_symbols(m, t, i, SYMBOLS_ALL);
		if (!symbols || !symbols_at(symbols, addr - list[i].base, &entry))
			return false;
		snprintf(name, size, "%s", entry.name);
		*offset_ret = addr - list[i].base - entry.value;
		return true;
	}
	return false;
}

struct symbols *module_symbols_of(struct modules *base, struct target *t, const struct target_module *module)
{
	struct module_list *m = module_list_of(base);

	if (!m->n || module < m->list || module >= m->list + m->n)
		return NULL;
	return need_symbols(m, t, (size_t)(module - m->list), SYMBOLS_ALL);
}
