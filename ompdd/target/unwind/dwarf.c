/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The libdwfl session of a target. Files come from the target's own search, which checks that they are the mapped ones.
 * libdwfl itself opens no file by name and never contacts a server.
 */
#include "target/unwind/dwarf.h"

#include <elf.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory_limit.h"
#include "base/vector.h"
#include "target/modules/modules_ops.h"
#include "target/unwind/stack_copy.h"
#include "target/target_ops.h"

/* The largest image of a module without an accessible file. */
#define MAX_IMAGE (64u << 20)
/* The limit for all modules together. */
#define MAX_IMAGES (512u << 20)
#define MAX_PHDRS  512

struct dwarf {
	struct target *t;
	Dwfl *dwfl;
	uint64_t modules_hash;
	struct dwarf_thread thread;
	char **images; /* files that exist in memory only */
	size_t n_images, cap_images;
	uint64_t images_size;
};

/* Images */

/*
 * Copy the file as far as its segments are mapped: enough for .eh_frame, and complete for the vDSO. The file's section
 * headers are included if a segment covers them.
 */
static char *copy_image(struct target *t, const struct target_module *module, uint64_t max, size_t *size_ret)
{
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdrs[MAX_PHDRS];
	uint64_t size = 0, sum = 0;

	if (!target_try_read_raw(t, module->start, &ehdr, sizeof(ehdr)) || memcmp(ehdr.e_ident, ELFMAG, SELFMAG) ||
	    ehdr.e_phentsize != sizeof(Elf64_Phdr) || ehdr.e_phnum > MAX_PHDRS ||
	    !target_try_read_raw(t, module->start + ehdr.e_phoff, phdrs, ehdr.e_phnum * sizeof(phdrs[0])))
		return NULL;
	for (size_t i = 0; i < ehdr.e_phnum; i++) {
		uint64_t end;

		if (phdrs[i].p_type != PT_LOAD)
			continue;
		if (__builtin_add_overflow(phdrs[i].p_offset, phdrs[i].p_filesz, &end) || end > max)
			return NULL;
		/* Overlapping segments would be read repeatedly: limit the sum. */
		sum += phdrs[i].p_filesz;
		if (sum > max)
			return NULL;
		if (end > size)
			size = end;
	}
	if (size < sizeof(ehdr))
		return NULL;
	char *image = calloc(1, size);
	for (size_t i = 0; image && i < ehdr.e_phnum; i++) {
		if (phdrs[i].p_type == PT_LOAD)
			target_try_read_raw(t, module->base + phdrs[i].p_vaddr, image + phdrs[i].p_offset,
					    phdrs[i].p_filesz);
	}
	if (!image)
		return NULL;
	uint64_t sections_end = ehdr.e_shoff + (uint64_t)ehdr.e_shnum * ehdr.e_shentsize;
	if (sections_end > size || sections_end < ehdr.e_shoff)
		ehdr.e_shoff = ehdr.e_shnum = ehdr.e_shstrndx = 0;
	memcpy(image, &ehdr, sizeof(ehdr));
	*size_ret = size;
	return image;
}

/* Callbacks of libdwfl */

static const struct target_module *find_module(struct dwarf *d, Dwarf_Addr start)
{
	const struct target_module *modules;
	size_t n;
	struct error *err = target_modules(d->t, &modules, &n);

	if (err) {
		error_destroy(err);
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		if (modules[i].start == start)
			return &modules[i];
	}
	return NULL;
}

static Elf *open_image(struct dwarf *d, const struct target_module *module)
{
	size_t size;

	if (!VECTOR_GROW(d->images, d->n_images, d->cap_images))
		return NULL;
	uint64_t left = MAX_IMAGES - d->images_size;
	char *image = copy_image(d->t, module, left < MAX_IMAGE ? left : MAX_IMAGE, &size);
	if (!image)
		return NULL;
	d->images_size += size;
	d->images[d->n_images++] = image;
	return elf_memory(image, size);
}

static int find_elf(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr start, char **file_name,
		    Elf **elf_ret)
{
	struct dwarf *d = *userdata;
	const struct target_module *module = find_module(d, start);
	int fd = -1;

	(void)mod;
	(void)name;
	if (!module)
		return -1;
	Elf *elf = d->t->modules->ops->open ? d->t->modules->ops->open(d->t->modules, module, false, &fd) : NULL;
	if (!elf)
		elf = open_image(d, module);
	*elf_ret = elf;
	*file_name = strdup(module->path);
	return fd;
}

static int find_debuginfo(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr start, const char *file_name,
			  const char *link, GElf_Word crc, char **debug_name)
{
	struct dwarf *d = *userdata;
	const struct target_module *module = find_module(d, start);
	int fd = -1;

	(void)mod;
	(void)name;
	(void)file_name;
	(void)debug_name;
	/* A link without a checksum refers to a debug file shared by several debug files (dwz): not supported. */
	if (!module || !d->t->modules->ops->open || (link && !crc))
		return -1;
	Elf *elf = d->t->modules->ops->open(d->t->modules, module, true, &fd);
	if (!elf)
		return -1;
	elf_end(elf);
	return fd;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* There is one thread at a time: that of dwarf.thread. */
static pid_t next_thread(Dwfl *dwfl, void *dwfl_arg, void **thread_arg)
{
	struct dwarf *d = dwfl_arg;

	(void)dwfl;
	if (*thread_arg || !d->thread.copy)
		return 0;
	*thread_arg = d;
	return d->thread.copy->tid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *dwfl_arg, void **thread_arg)
{
	struct dwarf *d = dwfl_arg;

	(void)dwfl;
	if (!d->thread.copy || d->thread.copy->tid != tid)
		return false;
	*thread_arg = d;
	return true;
}

static bool read_word(struct dwarf *d, uint64_t addr, uint64_t *ret)
{
	uint64_t word;

	if (!d->thread.copy || !stack_copy_read(d->t, d->thread.copy, addr, &word)) {
		d->thread.missed = true;
		return false;
	}
	struct stack_words *words = d->thread.words;
	if (words && words->n < STACK_MAX_WORDS)
		words->words[words->n++] = (struct stack_word){addr, word};
	else if (words)
		words->truncated = true;
	*ret = word;
	return true;
}

static bool memory_read(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *ret, void *dwfl_arg)
{
	(void)dwfl;
	return read_word(dwfl_arg, addr, ret);
}

bool dwarf_read(struct target *t, uint64_t addr, uint64_t *ret)
{
	return read_word(t->dwarf, addr, ret);
}

static bool set_initial_registers(Dwfl_Thread *thread, void *thread_arg)
{
	const struct dwarf *d = thread_arg;
	const struct target_registers *r = &d->thread.copy->registers;

	for (unsigned i = 0; i < arch->n_registers; i++) {
		Dwarf_Word value = r->value[i];

		if (!(r->known >> i & 1))
			continue;
		/* If it differs from the return address column, libdw has no number for the program counter. */
		if (i == arch->pc_register && i != arch->return_column)
			dwfl_thread_state_register_pc(thread, value);
		else if (!dwfl_thread_state_registers(thread, (int)i, 1, &value))
			return false;
	}
	return true;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = memory_read,
	.set_initial_registers = set_initial_registers,
};

/* The session */

void dwarf_destroy(struct dwarf *d)
{
	if (!d)
		return;
	if (d->dwfl)
		dwfl_end(d->dwfl);
	for (size_t i = 0; i < d->n_images; i++)
		free(d->images[i]);
	free(d->images);
	free(d);
}

void dwarf_relax(struct target *t)
{
	if (!t->dwarf || !memory_limit_is_near())
		return;
	dwarf_destroy(t->dwarf);
	t->dwarf = NULL;
	malloc_trim(0);
}

static uint64_t hash_modules(const struct target_module *modules, size_t n)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < n; i++) {
		const uint64_t words[] = {modules[i].start, modules[i].end, modules[i].base};

		for (size_t k = 0; k < 3; k++)
			h = (h ^ words[k]) * 1099511628211u;
		for (const char *c = modules[i].build_id; *c; c++)
			h = (h ^ (unsigned char)*c) * 1099511628211u;
	}
	return h;
}

static struct error *error_dwfl(const char *what)
{
	return error_create(ERR_SYMBOL_NOT_FOUND, "%s: %s", what, dwfl_errmsg(-1));
}

static struct error *create_session(struct target *t, const struct target_module *modules, size_t n, struct dwarf **ret)
{
	struct dwarf *d = calloc(1, sizeof(*d));
	struct error *err = NULL;

	if (!d)
		return &error_nomem;
	d->t = t;
	d->modules_hash = hash_modules(modules, n);
	d->dwfl = dwfl_begin(&callbacks);
	if (!d->dwfl)
		err = error_dwfl("dwfl_begin");
	if (!err)
		dwfl_report_begin(d->dwfl);
	for (size_t i = 0; i < n && !err; i++) {
		void **userdata;
		Dwfl_Module *mod = dwfl_report_module(d->dwfl, modules[i].path, modules[i].start, modules[i].end);

		/* Skip a module that libdwfl refuses (invalid range). */
		if (mod && dwfl_module_info(mod, &userdata, NULL, NULL, NULL, NULL, NULL, NULL))
			*userdata = d;
	}
	if (!err && dwfl_report_end(d->dwfl, NULL, NULL) != 0)
		err = error_dwfl("dwfl_report_end");
	if (!err && !dwfl_attach_state(d->dwfl, NULL, t->pid, &thread_callbacks, d))
		err = error_dwfl("the modules cannot be unwound");
	if (err) {
		dwarf_destroy(d);
		return err;
	}
	*ret = d;
	return NULL;
}

struct error *dwarf_get(struct target *t, Dwfl **dwfl_ret, struct dwarf_thread **thread_ret)
{
	const struct target_module *modules;
	size_t n;
	struct error *err = target_modules(t, &modules, &n);

	if (err)
		return err;
	if (t->dwarf && t->dwarf->modules_hash != hash_modules(modules, n)) {
		dwarf_destroy(t->dwarf);
		t->dwarf = NULL;
	}
	if (!t->dwarf) {
		err = create_session(t, modules, n, &t->dwarf);
		if (err)
			return err;
	}
	*dwfl_ret = t->dwarf->dwfl;
	*thread_ret = &t->dwarf->thread;
	return NULL;
}
