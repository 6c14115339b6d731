/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of modules.h, which call the operations of the target's modules. */
#include "target/modules/modules.h"

#include <stdio.h>

#include "target/modules/modules_ops.h"
#include "target/elf/symbols.h"
#include "target/target_ops.h"

struct error *target_modules(struct target *t, const struct target_module **ret, size_t *n_ret)
{
	return t->modules->ops->list(t->modules, t, ret, n_ret);
}

const struct target_module *target_module_at(struct target *t, uint64_t addr)
{
	const struct target_module *modules;
	size_t n;
	struct error *err = t->modules->ops->list(t->modules, t, &modules, &n);

	if (err) {
		error_destroy(err);
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		if (addr >= modules[i].start && addr < modules[i].end)
			return &modules[i];
	}
	return NULL;
}

void target_prefer_module(struct target *t, uint64_t address)
{
	t->preferred = address;
}

struct error *target_symbol(struct target *t, const char *name, const char *file_name, struct target_symbol *ret)
{
	return t->modules->ops->symbol(t->modules, t, name, file_name, false, ret);
}

struct error *target_runtime_symbol(struct target *t, const char *name, struct target_symbol *ret)
{
	return t->modules->ops->symbol(t->modules, t, name, NULL, true, ret);
}

bool target_symbol_at(struct target *t, uint64_t addr, char *name, size_t size, uint64_t *offset_ret)
{
	return size && t->modules->ops->symbol_at(t->modules, t, addr, name, size, offset_ret);
}

struct symbols *modules_symbols(struct target *t, const struct target_module *module)
{
	return t->modules->ops->symbols ? t->modules->ops->symbols(t->modules, t, module) : NULL;
}

bool target_can_start_threads(struct target *t, const struct target_module *module)
{
	struct symbols *symbols = modules_symbols(t, module);

	return !symbols || !symbols_imports(symbols) || symbols_imports_threads(symbols);
}

bool target_may_import(struct target *t, const struct target_module *module, const char *name)
{
	struct symbols *symbols = modules_symbols(t, module);

	return !symbols || symbols_imports_hash(symbols, symbols_hash(name));
}

bool target_object_at(struct target *t, uint64_t addr, char *name, size_t size, uint64_t *offset_ret)
{
	const struct target_module *module = size ? target_module_at(t, addr) : NULL;
	struct symbols *symbols = module ? modules_symbols(t, module) : NULL;
	struct symbols_entry entry;

	if (!symbols || !symbols_object_at(symbols, addr - module->base, &entry))
		return false;
	snprintf(name, size, "%s", entry.name);
	*offset_ret = addr - module->base - entry.value;
	return true;
}

struct error *target_tls_address(struct target *t, const struct target_thread *thread, const struct target_symbol *sym,
				 uint64_t *ret)
{
	return t->modules->ops->tls_address(t->modules, t, thread, sym, ret);
}
