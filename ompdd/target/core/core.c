/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A core file as a target. It is read with pread(), not mmap(): a core that is truncated meanwhile then causes an
 * error, not SIGBUS, and the page cache makes both equally fast. Memory that the core leaves out comes from the mapped
 * files (core_files.h). Called through target.c.
 */
#include "target/core/core.h"
#include "target/core/core_environment.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/arch/arch.h"
#include "target/unwind/dwarf.h"
#include "target/modules/emulator.h"
#include "target/modules/module_list.h"
#include "target/modules/nptl.h"
#include "target/proc/proc.h"
#include "target/arch/registers.h"

/* Memory */

static struct error *error_unreadable(struct core *c, uint64_t addr, enum core_place place)
{
	const struct core_map *map = core_notes_map(&c->notes, addr);
	const char *why = "the core does not have it";
	struct error *err, *missing = NULL;

	if (place == CORE_CUT_OFF) {
		why = "the core was cut off before it";
	} else if (core_lacks_memory(c, addr)) {
		why = "the core leaves it out";
		if (!c->lacks.was_read)
			c->lacks.address = addr;
		c->lacks.was_read = true;
	} else if (map) {
		missing = core_file_problem(&c->files.files[c->files.of_map[map - c->notes.maps]]);
	}
	err = error_create(ERR_MEMORY_UNREADABLE, "memory at 0x%llx cannot be read: %s", (unsigned long long)addr,
			   missing ? missing->message : why);
	error_hint(err, "a core does not change: what it lacks stays unknown");
	if (missing)
		error_hint(err, "%s", error_hint_text(missing));
	error_destroy(missing);
	return error_detail(err, "address", "0x%llx", (unsigned long long)addr);
}

/* Read @len bytes at @addr. Return how many could be read; *@place_ret is the place of the next byte. */
static size_t read_memory(struct core *c, uint64_t addr, void *buf, size_t len, enum core_place *place_ret)
{
	size_t done = 0;

	while (done < len) {
		unsigned char *to = (unsigned char *)buf + done;
		size_t n = len - done;
		uint64_t offset;
		ssize_t got = 0;

		*place_ret = core_memory_locate(&c->memory, addr + done, &n, &offset);
		if (*place_ret == CORE_IN_FILE)
			got = pread(c->fd, to, n, (off_t)offset);
		else if (*place_ret != CORE_CUT_OFF)
			got = (ssize_t)core_files_read(&c->files, addr + done, to, n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

static struct error *core_read(struct target *t, uint64_t addr, void *buf, size_t len)
{
	struct core *c = core_of(t);
	enum core_place place;
	size_t done = read_memory(c, addr, buf, len, &place);

	return done < len ? error_unreadable(c, addr + done, place) : NULL;
}

/* A partly missing page is read again for each request, as far as requested. */
static struct error *core_read_pages(struct target *t, const uint64_t *addrs, unsigned char *const *pages, size_t n,
				     bool *ok)
{
	enum core_place place;

	for (size_t i = 0; i < n; i++)
		ok[i] = read_memory(core_of(t), addrs[i], pages[i], CACHE_PAGE, &place) == CACHE_PAGE;
	return NULL;
}

/* Threads */

static struct error *core_check(struct target *t)
{
	(void)t;
	return NULL;
}

static struct error *core_list_threads(struct target *t)
{
	struct core *c = core_of(t);
	size_t n = c->notes.n_threads;
	_cleanup_free_ pid_t *tids = malloc((n ? n : 1) * sizeof(*tids));
	bool changed;

	if (!tids)
		return &error_nomem;
	for (size_t i = 0; i < n; i++)
		tids[i] = c->notes.threads[i].tid;
	struct error *err = target_set_threads(t, tids, n, &changed);
	if (err)
		return err;
	struct target_thread *main_thread = target_find_thread(t, t->pid);
	if (main_thread)
		memcpy(main_thread->comm, c->notes.comm, sizeof(main_thread->comm) - 1);
	return NULL;
}

/* Use the thread pointer from the registers; libthread_db is only needed if that fails. */
static void core_fill_pthreads(struct target *t)
{
	struct core *c = core_of(t);
	bool all = true;

	for (size_t i = 0; i < t->n_threads; i++) {
		const struct core_thread *thread = core_notes_thread(&c->notes, t->threads[i].tid);

		if (thread)
			t->threads[i].pthread =
				nptl_pthread_of(t, t->threads[i].tid, arch_thread_pointer(&thread->regs));
		all &= t->threads[i].pthread != 0;
	}
	t->by_pthread_valid = false;
	if (!all)
		module_list_fill_pthreads(t);
}

static void core_activity(struct target *t, pid_t tid, struct target_activity *ret)
{
	const struct core_thread *thread = core_notes_thread(&core_of(t)->notes, tid);

	if (thread)
		target_activity_of(t, &thread->regs, ret);
}

static void core_registers(struct target *t, pid_t tid, struct target_registers *ret)
{
	const struct core_thread *thread = core_notes_thread(&core_of(t)->notes, tid);

	if (thread)
		registers_to_target(&thread->regs, ret);
}

/* Modules */

static struct error *read_maps(struct target *t, struct maps *ret)
{
	return core_files_maps(&core_of(t)->files, ret);
}

static Elf *open_file(struct target *t, const struct elf_file_identity *id, int *fd_ret)
{
	struct core *c = core_of(t);
	struct core_file *file = core_files_find(&c->files, id->path);

	if (!file)
		return NULL;
	/* The file may be on this machine under the dynamic linker's name for it. */
	if (file->state == CORE_FILE_UNTRIED)
		file->name = id->name;
	core_file_need(&c->files, file);
	file->name = NULL;
	if (file->fd < 0)
		return NULL;
	int fd = dup(file->fd);
	if (fd < 0)
		return NULL;
	Elf *elf = elf_file_begin(fd);
	if (elf)
		*fd_ret = fd;
	else
		close(fd);
	return elf;
}

static Elf *open_debug(struct target *t, Elf *elf, const char *path, const char *build_id, int *fd_ret)
{
	struct core *c = core_of(t);
	struct core_file *file = core_files_find(&c->files, path);

	/* The debug file of a program that the client named lies in the program's folder. */
	if (file && file == c->files.exe && c->exe)
		return elf_file_find_debug(AT_FDCWD, c->files.places.debug_dirs, c->n_debug_dirs, elf, c->exe, build_id,
					   fd_ret);
	return elf_file_find_debug(c->files.sysrootfd >= 0 ? c->files.sysrootfd : AT_FDCWD, c->files.places.debug_dirs,
				   c->n_debug_dirs, elf, path, build_id, fd_ret);
}

static const struct module_source source = {
	.read_maps = read_maps,
	.open = open_file,
	.open_debug = open_debug,
};

static struct error *core_missing(struct target *t, uint64_t addr)
{
	return core_lacks_explain(core_of(t), addr);
}

static bool core_lacks(struct target *t, uint64_t addr)
{
	return core_lacks_memory(core_of(t), addr);
}

static struct error *core_missing_file(struct target *t, uint64_t addr)
{
	return core_lacks_file(core_of(t), addr);
}

static bool core_is_emulated(struct target *t)
{
	return target_emulator(t) != NULL;
}

static enum target_image core_image(struct target *t)
{
	uint64_t flags = core_of(t)->notes.flags;

	return !flags ? TARGET_IMAGE_UNKNOWN : flags & PROC_FORKNOEXEC ? TARGET_IMAGE_FORKED : TARGET_IMAGE_EXECUTED;
}

static void core_destroy(struct target *t)
{
	struct core *c = core_of(t);

	dwarf_destroy(t->dwarf);
	module_list_destroy(t->modules);
	core_files_deinit(&c->files);
	core_notes_deinit(&c->notes);
	core_memory_deinit(&c->memory);
	if (c->fd >= 0)
		close(c->fd);
	for (size_t i = 0; i < c->n_debug_dirs; i++)
		free(c->debug_dirs[i]);
	free(c->debug_dirs);
	free(c->sysroot);
	free(c->exe);
	free(c->path);
	target_deinit(t);
	free(c);
}

static const struct target_ops core_ops = {
	.destroy = core_destroy,
	.check = core_check,
	.list_threads = core_list_threads,
	.fill_pthreads = core_fill_pthreads,
	.activity = core_activity,
	.registers = core_registers,
	.read_pages = core_read_pages,
	.read = core_read,
	.missing = core_missing,
	.missing_file = core_missing_file,
	.lacks = core_lacks,
	.is_emulated = core_is_emulated,
	.image = core_image,
	.environment = core_environment,
};

/* Opening */

static struct error *copy_places(struct core *c, const struct target_core_options *options)
{
	c->path = strdup(options->core);
	if (options->exe)
		c->exe = strdup(options->exe);
	if (options->sysroot)
		c->sysroot = strdup(options->sysroot);
	c->debug_dirs = calloc(options->n_debug_dirs ? options->n_debug_dirs : 1, sizeof(*c->debug_dirs));
	if (!c->path || !c->debug_dirs || (options->exe && !c->exe) || (options->sysroot && !c->sysroot))
		return &error_nomem;
	for (size_t i = 0; i < options->n_debug_dirs; i++) {
		c->debug_dirs[i] = strdup(options->debug_dirs[i]);
		if (!c->debug_dirs[i])
			return &error_nomem;
		c->n_debug_dirs++;
	}
	return NULL;
}

/* Check that the program named by the user is the core's. */
static struct error *check_exe(struct core *c)
{
	struct core_file *exe = c->files.exe;

	if (!c->exe)
		return NULL;
	if (access(c->exe, F_OK))
		return error_detail(error_create(ERR_CORE_FILE_MISSING, "the program %s: %s", c->exe, strerror(errno)),
				    "path", "%s", c->exe);
	if (!exe) {
		target_add_warning(&c->base, "core_file_missing",
				   "The core lacks the address of its program; the given program is not used.");
		return NULL;
	}
	core_file_need(&c->files, exe);
	return core_file_problem(exe);
}

static struct error *set_exe(struct core *c)
{
	char name[TARGET_MAX_STRING] = "";
	const char *exe = c->files.exe ? c->files.exe->path : NULL;

	if (!exe && c->notes.auxv.execfn)
		error_destroy(target_read_string(&c->base, c->notes.auxv.execfn, name, sizeof(name)));
	if (!exe)
		exe = name[0] ? name : c->notes.comm;
	char *copy = strdup(exe);
	if (!copy)
		return &error_nomem;
	free(c->base.exe);
	c->base.exe = copy;
	return NULL;
}

/* Search all modules' files now, and add warnings for missing ones. */
static void warn_of_files(struct core *c)
{
	const struct target_module *modules;
	size_t n, n_known = 0;

	struct error *err = target_modules(&c->base, &modules, &n);
	if (err) {
		error_destroy(err);
		return;
	}
	for (size_t i = 0; i < c->files.n; i++) {
		const struct core_file *file = &c->files.files[i];

		n_known += file->state != CORE_FILE_UNTRIED;
		if (file->state == CORE_FILE_UNVERIFIED)
			target_add_warning(&c->base, "core_file_unverified",
					   "%s was taken by its path alone: the core does not have its build-id.",
					   file->where);
		if (file->state == CORE_FILE_UNTRIED)
			continue;
		err = core_file_problem(file);
		if (err)
			target_add_warning(&c->base, error_name(err), "%s.", err->message);
		error_destroy(err);
	}
	if (!n_known && c->notes.n_maps)
		target_add_warning(&c->base, "core_file_missing",
				   "No program or library was recognised among the mapped files.");
}

struct error *target_open_core(const struct target_core_options *options, struct target **ret)
{
	struct core *c = calloc(1, sizeof(*c));

	if (!c)
		return &error_nomem;
	c->fd = c->files.sysrootfd = -1;
	_cleanup_(cleanup_target) struct target *t = &c->base;
	struct error *err = target_init(t, &core_ops, 0, TARGET_CORE, 0, "");
	if (!err)
		err = copy_places(c, options);
	if (!err)
		err = core_open(c, c->path, options->space);
	if (err)
		return err;
	t->pid = c->notes.pid ? c->notes.pid : c->notes.first_tid;
	c->about = (struct target_core){
		.path = c->path,
		.processor = arch->uname,
		.signal_tid = c->notes.first_tid,
		.has_files = c->notes.file_note != NULL,
		.has_auxv = c->notes.has_auxv,
		.is_racy = c->notes.dump.late > 0,
	};
	/* SIGSTOP causes no core dump: gdb stopped the process with it to write the core. */
	if (c->notes.signal > 0 && c->notes.signal != SIGSTOP)
		c->about.signal = c->notes.signal;
	t->core = &c->about;
	struct core_places places = {c->exe, c->sysroot, (const char *const *)c->debug_dirs, c->n_debug_dirs};
	err = core_files_init(&c->files, c->fd, &c->memory, &c->notes, &places);
	if (!err)
		err = check_exe(c);
	if (!err)
		err = set_exe(c);
	if (!err)
		err = module_list_create(t, &source, &c->notes.auxv, &t->modules);
	if (err)
		return err;
	target_view_begin(t);
	warn_of_files(c);
	core_lacks_find(c);
	*ret = no_cleanup(t);
	return NULL;
}
