/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens a core and reads its headers and notes, or returns the reason of a failure. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target/core/core.h"
#include "target/core/core_unpack.h"
#include "target/elf/file_format.h"

/* Limit for the notes of one core; those of 65536 threads with AVX-512 registers take 300 MiB. */
#define MAX_NOTES (1ull << 30)

static struct error *open_file(struct core *c, const char *path, uint64_t space)
{
	struct stat st;
	bool cut;
	int unpacked;

	c->fd = elf_file_open_regular(AT_FDCWD, path, false, &st);
	if (c->fd < 0) {
		int errnum = errno;
		const char *why = errnum ? strerror(errnum) : "it is not a regular file";

		if (!errnum && !stat(path, &st) && S_ISDIR(st.st_mode))
			why = "it is a directory";
		return error_detail(error_create(ERR_CORE_UNREADABLE, "cannot open the core %s: %s", path, why), "path",
				    "%s", path);
	}
	struct error *err = core_unpack(c->fd, path, space ? space : CORE_SPACE, &unpacked, &cut);
	if (err)
		return err;
	if (unpacked >= 0) {
		close(c->fd);
		c->fd = unpacked;
	}
	if (cut)
		target_add_warning(&c->base, "core_truncated", "The compressed core ends too early.");
	if (fstat(c->fd, &st))
		return error_create_errno(errno, "fstat");
	c->size = (uint64_t)st.st_size;
	return NULL;
}

static const char *kind_of(unsigned type)
{
	switch (type) {
	case ET_REL:
		return "an object file";
	case ET_EXEC:
		return "a program";
	case ET_DYN:
		return "a program or a shared library";
	default:
		return "an ELF file of another type";
	}
}

static struct error *check_header(const char *path, Elf *elf)
{
	const char *ident = elf_getident(elf, NULL);
	GElf_Ehdr ehdr;

	if (!ident || !gelf_getehdr(elf, &ehdr))
		return error_create(ERR_CORE_NOT_A_CORE, "%s has a broken ELF header: %s", path, elf_errmsg(-1));
	if (ehdr.e_type != ET_CORE)
		return error_hint(
			error_create(ERR_CORE_NOT_A_CORE, "%s is not a core, but %s", path, kind_of(ehdr.e_type)),
			"give the core here; the program that it is of is \"exe\" (ompdctl --exe)");
	const struct arch *machine = arch_by_machine(ehdr.e_machine);
	bool is_wide = ident[EI_CLASS] == ELFCLASS64, is_big = ident[EI_DATA] == ELFDATA2MSB;
	if (is_wide && !is_big && machine) {
		arch_use(machine);
		return NULL;
	}
	return error_detail(error_create(ERR_CORE_WRONG_ARCHITECTURE,
					 "%s is the core of a %d-bit, %s-endian program for %s (ELF machine %u): %s",
					 path, is_wide ? 64 : 32, is_big ? "big" : "little",
					 arch_machine_name(ehdr.e_machine), ehdr.e_machine,
					 arch_missing(ehdr.e_machine, is_wide, is_big)),
			    "machine", "%u", ehdr.e_machine);
}

static struct error *cut_off(const struct core *c, const char *what)
{
	return error_create(ERR_CORE_TRUNCATED, "the core ends after %llu bytes, before its %s",
			    (unsigned long long)c->size, what);
}

static struct error *add_notes(struct core *c, Elf *elf, const GElf_Phdr *phdr, uint64_t *sum)
{
	if (!phdr->p_filesz)
		return NULL;
	if (phdr->p_offset > c->size || phdr->p_filesz > c->size - phdr->p_offset)
		return cut_off(c, "notes");
	*sum += phdr->p_filesz;
	if (*sum > MAX_NOTES)
		return error_detail(
			error_create(ERR_LIMIT_EXCEEDED, "the core has more than %llu MiB of notes", MAX_NOTES >> 20),
			"limit", "notes");
	Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)phdr->p_offset, phdr->p_filesz, ELF_T_NHDR);
	if (!data)
		return error_create(ERR_CORE_DAMAGED, "cannot read the notes of the core: %s", elf_errmsg(-1));
	return core_notes_add(&c->notes, data);
}

static struct error *read_segments(struct core *c, Elf *elf)
{
	uint64_t sum = 0;
	GElf_Ehdr ehdr;
	GElf_Phdr phdr;
	size_t n;

	/* libelf counts only the program headers that lie within the file. */
	if (!gelf_getehdr(elf, &ehdr) || elf_getphdrnum(elf, &n) || (ehdr.e_phnum != PN_XNUM && n < ehdr.e_phnum))
		return cut_off(c, "program headers end");
	if (n > CORE_MAX_SEGMENTS)
		return error_detail(
			error_create(ERR_LIMIT_EXCEEDED, "the core has more than %u segments", CORE_MAX_SEGMENTS),
			"limit", "segments");
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &phdr))
			return cut_off(c, "program headers end");
		struct error *err =
			phdr.p_type == PT_NOTE ? add_notes(c, elf, &phdr, &sum) : core_memory_add(&c->memory, &phdr);
		if (err)
			return err;
	}
	core_notes_finish(&c->notes);
	core_memory_finish(&c->memory, c->size);
	if (!n)
		return error_create(ERR_CORE_DAMAGED, "the core has no program headers");
	return NULL;
}

static void add_warnings(struct core *c)
{
	struct target *t = &c->base;

	if (c->memory.cut)
		target_add_warning(t, "core_truncated",
				   "The core is truncated: the file lacks %llu bytes of its memory.",
				   (unsigned long long)c->memory.cut);
	if (c->memory.n_damaged)
		target_add_warning(t, "core_damaged",
				   "%u segments of the core are invalid or overlap; they were skipped.",
				   c->memory.n_damaged);
	if (c->notes.n_damaged)
		target_add_warning(t, "core_damaged", "%u notes of the core are invalid; they were skipped.",
				   c->notes.n_damaged);
	if (c->notes.dump.late)
		target_add_warning(t, "core_not_one_moment",
				   "The threads ran while %llu bytes of the core's memory were copied: they may be of "
				   "different moments.",
				   (unsigned long long)c->notes.dump.late);
	if (c->notes.dump.unreadable)
		target_add_warning(t, "core_damaged",
				   "%llu bytes of memory could not be read and are zero in the core.",
				   (unsigned long long)c->notes.dump.unreadable);
	if (!c->notes.file_note)
		target_add_warning(t, "core_file_missing", "The core has no list of mapped files (NT_FILE note).");
	if (!c->notes.has_auxv)
		target_add_warning(t, "core_file_missing", "The core lacks the address of its program (NT_AUXV note).");
}

struct error *core_open(struct core *c, const char *path, uint64_t space)
{
	struct error *err = open_file(c, path, space);

	if (err)
		return err;
	Elf *elf = elf_file_begin(c->fd);
	if (!elf)
		return c->size < sizeof(Elf64_Ehdr)
			       ? error_create(ERR_CORE_TRUNCATED,
					      c->size ? "%s is too short for a core" : "%s is empty", path)
			       : file_format_error(NULL, path);
	err = check_header(path, elf);
	if (!err)
		err = read_segments(c, elf);
	elf_end(elf);
	if (err)
		return error_detail(err, "path", "%s", path);
	if (!c->notes.n_threads)
		return error_detail(error_create(ERR_CORE_DAMAGED, "%s has no threads (no NT_PRSTATUS note)", path),
				    "path", "%s", path);
	add_warnings(c);
	return NULL;
}
