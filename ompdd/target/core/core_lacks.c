/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Explains why a core lacks something: the missing part, and how to include it in the next core. */
#include "target/core/core_lacks.h"

#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "target/core/core.h"
#include "target/target_ops.h"

/* Bytes below a thread's stack. */
#define MAX_GUARD 65536

static struct core_file *file_at(struct core *c, uint64_t addr)
{
	const struct core_map *map = core_notes_map(&c->notes, addr);

	return map ? &c->files.files[c->files.of_map[map - c->notes.maps]] : NULL;
}

bool core_lacks_memory(struct core *c, uint64_t addr)
{
	const struct core_segment *s = core_memory_segment(&c->memory, addr);
	struct core_file *file = file_at(c, addr);
	unsigned char byte;
	uint64_t offset;
	size_t len = 1;

	switch (core_memory_locate(&c->memory, addr, &len, &offset)) {
	case CORE_IN_FILE:
		return false;
	case CORE_CUT_OFF:
		return true;
	case CORE_LEFT_OUT:
		/* No program can read memory without permissions. */
		if (!s->flags)
			return false;
		break;
	case CORE_NOWHERE:
		/* Unknown, so assume that it was not mapped. */
		if (!file)
			return false;
		break;
	}
	if (core_files_read(&c->files, addr, &byte, 1))
		return false;
	/* The file exists but was not read: the program may have changed its mapping. */
	return !file || file->fd >= 0;
}

/* Threads */

/* Return whether the core lists all mappings: the kernel lists those too that it does not write, gdb omits them. */
static bool has_all_mappings(const struct core *c)
{
	for (size_t i = 0; i < c->memory.n; i++) {
		const struct core_segment *s = &c->memory.segments[i];

		if (s->dumped < s->end - s->start)
			return true;
	}
	return false;
}

/* Return whether the core lacks a thread's memory at @addr. It was mapped, even if the writer omits mappings. */
static bool lacks_of_thread(struct core *c, uint64_t addr, bool has_all)
{
	const struct core_segment *s = core_memory_segment(&c->memory, addr);

	return addr && (core_lacks_memory(c, addr) || (!s && !has_all));
}

/*
 * Return whether the writer wrote zeros for a thread's descriptor, which never starts with zero. gdb 13 does so for a
 * mapping with guard pages inside, as stacks of glibc 2.42 and later are.
 */
static bool is_blank(struct core *c, uint64_t pointer)
{
	uint64_t word;

	return pointer && target_try_read(&c->base, pointer, &word, sizeof(word)) && !word;
}

/* Return whether the stack above overflowed: then @sp is below it, in memory that no program can write. */
static bool is_overflow(const struct core *c, uint64_t sp)
{
	const struct core_segment *s = core_memory_segment(&c->memory, sp + MAX_GUARD);

	return s && s->flags & PF_W;
}

void core_lacks_find(struct core *c)
{
	bool has_all = has_all_mappings(c);

	for (size_t i = 0; i < c->notes.n_threads; i++) {
		const struct arch_registers *regs = &c->notes.threads[i].regs;
		uint64_t sp = arch_sp(regs), pointer = arch_thread_pointer(regs);
		bool lacks = lacks_of_thread(c, pointer, has_all) ||
			     (lacks_of_thread(c, sp, has_all) && !is_overflow(c, sp));
		bool blank = !lacks && is_blank(c, pointer);

		c->lacks.has_blank_threads |= blank;
		c->about.n_unknown_threads += lacks || blank;
	}
	if (c->about.n_unknown_threads && !c->memory.cut)
		target_add_warning(&c->base, "core_memory_left_out",
				   "The core leaves out the stacks of %zu of %zu threads.", c->about.n_unknown_threads,
				   c->notes.n_threads);
}

/* Explanations */

/* Return whether OpenMP's state cannot be read without this file, whatever the runtime's own file says. */
static bool is_vital(const char *path)
{
	const char *name = path_file_name(path);

	return !strncmp(name, "libc.so", 7) || !strncmp(name, "libc-", 5) || !strncmp(name, "libpthread", 10) ||
	       !strncmp(name, "ld-", 3);
}

/* valgrind and qemu-user write such cores of their programs. */
static struct error *notes_missing(const struct core *c)
{
	bool has_files = c->about.has_files, has_auxv = c->about.has_auxv;

	if (has_files && has_auxv)
		return NULL;
	return error_detail(error_create(ERR_CORE_NOTES_MISSING, "the core does not say %s%s%s: it has no %s%s%s note",
					 has_files ? "" : "which files were mapped",
					 has_files || has_auxv ? "" : ", nor ", has_auxv ? "" : "where its program is",
					 has_files ? "" : "NT_FILE", has_files || has_auxv ? "" : " and no ",
					 has_auxv ? "" : "NT_AUXV"),
			    "path", "%s", c->path);
}

/* Return the problem of the file at @addr, or of another file that every process needs. */
static struct error *file_problem(struct core *c, uint64_t addr)
{
	struct core_file *file = file_at(c, addr);
	struct error *err = file ? core_file_problem(file) : NULL;

	for (size_t i = 0; i < c->files.n && !err; i++) {
		if (is_vital(c->files.files[i].path))
			err = core_file_problem(&c->files.files[i]);
	}
	return err;
}

struct error *core_lacks_file(struct core *c, uint64_t addr)
{
	struct core_file *file = file_at(c, addr);
	struct error *err = file ? core_file_problem(file) : NULL;

	return err ? err : notes_missing(c);
}

static struct error *cut_off(const struct core *c)
{
	return error_detail(error_create(ERR_CORE_TRUNCATED, "the core lacks the last %llu bytes of its memory",
					 (unsigned long long)c->memory.cut),
			    "path", "%s", c->path);
}

/* Describe the missing memory for a message: the memory of a failed read, the stacks of threads, or both. */
static void describe_missing(struct core *c, char *ret, size_t size)
{
	const struct core_file *file = c->lacks.was_read ? file_at(c, c->lacks.address) : NULL;
	int n = 0;

	*ret = '\0';
	if (file)
		n = snprintf(ret, size, "the data of %s", file->path);
	else if (!c->about.n_unknown_threads)
		n = snprintf(ret, size, "memory at 0x%llx", (unsigned long long)c->lacks.address);
	if (c->about.n_unknown_threads && n >= 0 && (size_t)n < size)
		snprintf(ret + n, size - (size_t)n, "%sthe stacks of %zu of %zu threads", n ? " and " : "",
			 c->about.n_unknown_threads, c->notes.n_threads);
}

/*
 * The default filter, 0x33, includes all stacks. If some are present, that filter was in force, and the missing part
 * needs a larger one.
 */
static struct error *left_out(struct core *c)
{
	const char *filter = c->about.n_unknown_threads == c->notes.n_threads ? "0x33" : "0x7f";
	char what[1024];

	describe_missing(c, what, sizeof(what));
	struct error *err =
		error_create(ERR_CORE_MEMORY_LEFT_OUT, "the core does not show OpenMP's state: it leaves out %s", what);
	if (c->lacks.has_blank_threads)
		error_hint(err, "the core has zeros for these stacks: write it with `ompdctl dump PID -o FILE`");
	else
		error_hint(err,
			   "run `echo %s > /proc/self/coredump_filter` in the shell that starts the program (systemd: "
			   "CoredumpFilter=%s), or `echo %s > /proc/PID/coredump_filter` before the dump; gcore obeys "
			   "it, too",
			   filter, filter, filter);
	error_detail(err, "path", "%s", c->path);
	return error_detail(err, "missing", "%s", what);
}

struct error *core_lacks_explain(struct core *c, uint64_t addr)
{
	struct error *err = file_problem(c, addr);

	if (!err && c->memory.cut)
		err = cut_off(c);
	if (!err && (c->about.n_unknown_threads || c->lacks.was_read))
		err = left_out(c);
	return err ? err : notes_missing(c);
}
