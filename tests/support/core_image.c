/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Small core files for the unit tests of target/core*.c. Any failure here is a fault of the test: abort. */
#include "core_image.h"

#include <elf.h>
#include <libelf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <unistd.h>

#include "target/arch/arch_x86_64.h"

#define ALIGN4(n) (((n) + 3) & ~(size_t)3)

static void need(int condition)
{
	if (!condition)
		abort();
}

void core_image_note(struct core_image_notes *notes, const char *name, uint32_t type, const void *desc, size_t len)
{
	Elf64_Nhdr header = {(uint32_t)strlen(name) + 1, (uint32_t)len, type};
	size_t name_len = ALIGN4(header.n_namesz), desc_len = ALIGN4(len);
	size_t end = notes->len + sizeof(header) + name_len + desc_len;

	if (end > notes->cap) {
		notes->cap = 2 * end;
		notes->bytes = realloc(notes->bytes, notes->cap);
		need(notes->bytes != NULL);
	}
	unsigned char *to = notes->bytes + notes->len;
	memset(to, 0, sizeof(header) + name_len + desc_len);
	memcpy(to, &header, sizeof(header));
	memcpy(to + sizeof(header), name, header.n_namesz);
	if (len)
		memcpy(to + sizeof(header) + name_len, desc, len);
	notes->len = end;
}

void core_image_thread(struct core_image_notes *notes, pid_t tid, int signal, uint64_t pc, uint64_t fs_base,
		       long syscall)
{
	/*
	 * The note has the same layout on every processor up to the registers. The word after them says whether there
	 * are others.
	 */
	unsigned char note[offsetof(struct elf_prstatus, pr_reg) + (X86_WORDS + 1) * sizeof(uint64_t)] = {0};
	struct elf_prstatus status = {.pr_pid = tid, .pr_cursig = (short)signal};
	uint64_t regs[X86_WORDS] = {
		[X86_RIP] = pc,
		[X86_FS_BASE] = fs_base,
		[X86_ORIG_RAX] = (uint64_t)syscall,
		[X86_RAX] = (uint64_t)(syscall >= 0 ? -512 : 0),
	};

	memcpy(note, &status, offsetof(struct elf_prstatus, pr_reg));
	memcpy(note + offsetof(struct elf_prstatus, pr_reg), regs, sizeof(regs));
	core_image_note(notes, "CORE", NT_PRSTATUS, note, sizeof(note));
}

void core_image_process(struct core_image_notes *notes, pid_t pid, const char *comm)
{
	struct elf_prpsinfo info = {.pr_pid = pid, .pr_flag = 0x40};

	strncpy(info.pr_fname, comm, sizeof(info.pr_fname) - 1);
	core_image_note(notes, "CORE", NT_PRPSINFO, &info, sizeof(info));
}

void core_image_files(struct core_image_notes *notes, const uint64_t *rows, const char *const *paths, size_t n)
{
	size_t len = (2 + 3 * n) * sizeof(uint64_t), at = len;

	for (size_t i = 0; i < n; i++)
		len += strlen(paths[i]) + 1;
	unsigned char *desc = calloc(1, len);
	need(desc != NULL);
	uint64_t head[2] = {n, 4096};
	memcpy(desc, head, sizeof(head));
	memcpy(desc + sizeof(head), rows, 3 * n * sizeof(uint64_t));
	for (size_t i = 0; i < n; i++) {
		memcpy(desc + at, paths[i], strlen(paths[i]) + 1);
		at += strlen(paths[i]) + 1;
	}
	core_image_note(notes, "CORE", NT_FILE, desc, len);
	free(desc);
}

void core_image_notes_deinit(struct core_image_notes *notes)
{
	free(notes->bytes);
	memset(notes, 0, sizeof(*notes));
}

void core_image_write(int fd, unsigned machine, const struct core_image_notes *notes,
		      const struct core_image_segment *segments, size_t n)
{
	need(elf_version(EV_CURRENT) != EV_NONE);
	Elf *elf = elf_begin(fd, ELF_C_WRITE, NULL);
	need(elf != NULL);
	Elf64_Ehdr *ehdr = elf64_newehdr(elf);
	Elf64_Phdr *phdr = elf64_newphdr(elf, n + 1);
	need(ehdr && phdr);
	ehdr->e_type = ET_CORE;
	ehdr->e_machine = (Elf64_Half)machine;
	ehdr->e_ident[EI_DATA] = ELFDATA2LSB;
	ehdr->e_phoff = sizeof(*ehdr);
	ehdr->e_version = EV_CURRENT;
	elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
	uint64_t at = sizeof(*ehdr) + (n + 1) * sizeof(*phdr);
	phdr[0] = (Elf64_Phdr){.p_type = PT_NOTE, .p_offset = at, .p_filesz = notes->len};
	at = (at + notes->len + 4095) & ~(uint64_t)4095;
	for (size_t i = 0; i < n; i++) {
		const struct core_image_segment *s = &segments[i];

		phdr[i + 1] = (Elf64_Phdr){
			.p_type = PT_LOAD,
			.p_flags = s->flags,
			.p_offset = at,
			.p_vaddr = s->address,
			.p_filesz = s->filesz,
			.p_memsz = s->memsz,
		};
		at += s->filesz;
	}
	elf_flagphdr(elf, ELF_C_SET, ELF_F_DIRTY);
	need(elf_update(elf, ELF_C_WRITE) >= 0);
	elf_end(elf);
	/* elf_update() would truncate the file after the headers: the rest is written now. */
	at = sizeof(*ehdr) + (n + 1) * sizeof(*phdr);
	need(pwrite(fd, notes->bytes, notes->len, (off_t)at) == (ssize_t)notes->len);
	at = (at + notes->len + 4095) & ~(uint64_t)4095;
	for (size_t i = 0; i < n; i++) {
		need(pwrite(fd, segments[i].data, segments[i].filesz, (off_t)at) == (ssize_t)segments[i].filesz);
		at += segments[i].filesz;
	}
}
