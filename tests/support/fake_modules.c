/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Modules, symbols and thread-local storage of a fake target. */
#include "fake_target_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "target/modules/modules.h"

static char *copy(const char *text)
{
	char *s = text ? strdup(text) : NULL;

	if (text && !s)
		abort();
	return s;
}

static struct error *fake_list(struct modules *m, struct target *t, const struct target_module **ret, size_t *n_ret)
{
	struct fake *f = fake_of(t);
	struct error *err = fake_failure(f);

	(void)m;
	if (err)
		return err;
	*ret = f->modules;
	*n_ret = f->n_modules;
	return NULL;
}

static bool matches_file(const char *path, const char *file_name)
{
	return !file_name || !strncmp(path_file_name(path), file_name, strlen(file_name));
}

static struct error *fake_symbol(struct modules *m, struct target *t, const char *name, const char *file_name,
				 bool is_of_runtime, struct target_symbol *ret)
{
	struct fake *f = fake_of(t);

	(void)m, (void)is_of_runtime;
	for (size_t i = 0; i < f->n_symbols; i++) {
		const struct fake_symbol *s = &f->symbols[i];

		if (strcmp(s->name, name) || !matches_file(f->modules[s->module].path, file_name))
			continue;
		*ret = (struct target_symbol){
			.address = s->address,
			.size = s->size,
			.is_tls = s->is_tls,
			.module = &f->modules[s->module],
		};
		return NULL;
	}
	return error_create(ERR_SYMBOL_NOT_FOUND, "the process has no symbol %s", name);
}

static bool fake_symbol_at(struct modules *m, struct target *t, uint64_t addr, char *name, size_t size,
			   uint64_t *offset_ret)
{
	struct fake *f = fake_of(t);

	(void)m;
	for (size_t i = 0; i < f->n_symbols; i++) {
		const struct fake_symbol *s = &f->symbols[i];

		if (s->is_tls || addr < s->address || addr - s->address >= (s->size ? s->size : 1))
			continue;
		snprintf(name, size, "%s", s->name);
		*offset_ret = addr - s->address;
		return true;
	}
	return false;
}

static struct error *fake_tls_address(struct modules *m, struct target *t, const struct target_thread *thread,
				      const struct target_symbol *sym, uint64_t *ret)
{
	struct fake *f = fake_of(t);

	(void)m;
	for (size_t i = 0; i < f->n_tls; i++) {
		if (f->tls[i].pthread == thread->pthread && &f->modules[f->tls[i].module] == sym->module) {
			*ret = f->tls[i].block + sym->address;
			return NULL;
		}
	}
	return error_create(ERR_SYMBOL_NOT_FOUND, "thread %d has no such TLS block", thread->tid);
}

const struct modules_ops fake_modules_ops = {
	.list = fake_list,
	.symbol = fake_symbol,
	.symbol_at = fake_symbol_at,
	.tls_address = fake_tls_address,
};

size_t fake_target_add_module(struct target *t, const char *path, uint64_t start, uint64_t end, const char *build_id,
			      const char *compiler)
{
	struct fake *f = fake_of(t);

	f->modules = fake_grow(f->modules, f->n_modules, sizeof(*f->modules));
	struct target_module *m = &f->modules[f->n_modules];
	m->path = copy(path);
	m->base = m->start = start;
	m->end = end;
	snprintf(m->build_id, sizeof(m->build_id), "%s", build_id ? build_id : "");
	m->compiler = copy(compiler);
	return f->n_modules++;
}

void fake_target_add_symbol(struct target *t, size_t module, const char *name, uint64_t address, uint64_t size,
			    bool is_tls)
{
	struct fake *f = fake_of(t);

	f->symbols = fake_grow(f->symbols, f->n_symbols, sizeof(*f->symbols));
	f->symbols[f->n_symbols++] = (struct fake_symbol){module, copy(name), address, size, is_tls};
}

void fake_target_set_tls(struct target *t, size_t module, uint64_t pthread, uint64_t block)
{
	struct fake *f = fake_of(t);

	f->tls = fake_grow(f->tls, f->n_tls, sizeof(*f->tls));
	f->tls[f->n_tls++] = (struct fake_tls){module, pthread, block};
}
