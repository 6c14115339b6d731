/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the ELF header and the program headers each time: they lie in one page, which the view caches. */
#include "target/modules/module_header.h"

#include <string.h>

#include "target/modules/modules.h"
#include "target/target_ops.h"

#define MAX_HEADERS 64
/* The smallest unit of write protection; on machines with larger pages, linkers end the part at such a page. */
#define PAGE 4096

static bool read_header(struct target *t, const struct target_module *module, Elf64_Ehdr *ret)
{
	return target_try_read_raw(t, module->start, ret, sizeof(*ret)) && memcmp(ret->e_ident, ELFMAG, SELFMAG) == 0 &&
	       ret->e_ident[EI_CLASS] == ELFCLASS64 && ret->e_phentsize == sizeof(Elf64_Phdr) &&
	       ret->e_phnum <= MAX_HEADERS;
}

static bool read_entry(struct target *t, const struct target_module *module, const Elf64_Ehdr *ehdr, size_t i,
		       Elf64_Phdr *ret)
{
	return i < ehdr->e_phnum &&
	       target_try_read_raw(t, module->start + ehdr->e_phoff + i * sizeof(*ret), ret, sizeof(*ret));
}

bool module_header_find(struct target *t, const struct target_module *module, uint32_t type, Elf64_Phdr *ret)
{
	Elf64_Ehdr ehdr;

	if (!read_header(t, module, &ehdr))
		return false;
	for (size_t i = 0; read_entry(t, module, &ehdr, i, ret); i++) {
		if (ret->p_type == type)
			return true;
	}
	return false;
}

static bool is_closed(const Elf64_Phdr *phdr, uint64_t at)
{
	if (phdr->p_type == PT_LOAD && !(phdr->p_flags & PF_W))
		return at - phdr->p_vaddr < phdr->p_memsz;
	/* The last page is not protected if other data starts in it. */
	return phdr->p_type == PT_GNU_RELRO && at >= phdr->p_vaddr &&
	       at < (phdr->p_vaddr + phdr->p_memsz) / PAGE * PAGE;
}

bool module_header_is_constant(struct target *t, uint64_t address)
{
	const struct target_module *module = target_module_at(t, address);
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;

	if (!module || !read_header(t, module, &ehdr))
		return false;
	for (size_t i = 0; read_entry(t, module, &ehdr, i, &phdr); i++) {
		if (is_closed(&phdr, address - module->base))
			return true;
	}
	return false;
}
